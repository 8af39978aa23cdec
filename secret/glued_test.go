package secret

import (
	"math/rand/v2"
	"testing"
)

// What looks drawn by lot beside a reference is a part of a credential, whatever the name; words, versions and places are not.
func TestBesideAReference(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for i := range 200 {
		drawn := make([]byte, 16+i%24)
		for k := range drawn {
			drawn[k] = letters[random.IntN(len(letters))]
		}
		value := string(drawn) + "${input:x}"
		if i%2 == 0 {
			value = "${input:x}-" + string(drawn)
		}
		if Judge(value, Context{Key: "X", Kind: Env}).Verdict == Secret {
			found++
		}
	}
	if found < 170 {
		t.Errorf("%d of 200 found", found)
	}
	for _, s := range []string{
		"/opt/Acme/Server2024Release3/${input:x}", "mcp-Server-V2Beta3-${input:x}", "projects/AcmeProd2024East1/${input:x}", "FooBarBaz12QuuxHandler34:${input:x}",
		"getUserById2AndName3${input:x}", "--schema=HttpV2RestApiV3Json:${input:x}", "C:/Program Files (x86)/Acme/Win64R2Debug/${input:x}",
		"arn:aws:s3:::AcmeBucketUsEast1Prod/${input:x}", "${input:x}-2024Q3ReportEMEAv12Final", "x86_64UnknownLinuxGnu2204${input:x}",
		"gpt4oMini20240718Preview-${input:x}", "Claude35Sonnet20241022V2:${input:x}", "ISO8859Dash15Utf8Utf16Le${input:x}", "jdbc:h2:mem:TestDb1ForUnit2${input:x}",
		"user@AcmeCorp2Prod3East.example:${input:x}", "Mozilla/5.0AppleWebKit537Chrome126Safari${input:x}", "MyCompany.Product2.Module3.ClassName4Service5${input:x}",
		"${input:x}/OAuth2Callback/V1Beta2/RedirectUri3", "${input:host}:8080/Api2Gateway/V3Routes4", "gs://Acme-Data-2024/Run17Fold3Epoch12Step900/${input:x}",
	} {
		for _, ctx := range []Context{{Key: "X", Kind: Env}, {Key: "args", Kind: Arg}} {
			if r := Judge(s, ctx); r.Verdict == Secret {
				t.Errorf("%s: %+v", s, r.Matches)
			}
		}
	}
}
