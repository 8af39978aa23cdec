package secret

import "testing"

func TestAPathIsOnePart(t *testing.T) {
	const address = "https://hooks.example.com/services/T0GCJ3OG3J3/B0OFYMLMV3J/IOTwZtnqt7CaUAZq2nJRhj8"
	matches := Judge(address, Context{Key: "NOTIFY_URL", Kind: Env}).Matches
	if len(matches) != 1 || address[matches[0].End:] != "" || address[:matches[0].Start] != "https://hooks.example.com/services/" {
		t.Errorf("%+v", matches)
	}
}
