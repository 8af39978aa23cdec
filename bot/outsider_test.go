package bot_test

import (
	"fmt"
	"testing"

	"github.com/azphalt/submissions/bot"
)

// TestOutsiders tells of whose commands the bot asks GitHub about.
func TestOutsiders(t *testing.T) {
	for _, c := range []struct {
		association, owner string
		heard              bool
	}{
		{"NONE", "User", false},
		{"FIRST_TIMER", "User", false},
		{"FIRST_TIME_CONTRIBUTOR", "User", false},
		{"MANNEQUIN", "User", false},
		{"NONE", "", false}, // as the shared cases tell it
		{"NONE", "Organization", true},
		{"FIRST_TIME_CONTRIBUTOR", "Organization", true},
		{"CONTRIBUTOR", "User", true},
		{"COLLABORATOR", "User", true},
		{"OWNER", "User", true},
		{"MEMBER", "", true},
		{"", "", true},
	} {
		body := fmt.Sprintf(`{"action":"created","issue":{"number":7,"pull_request":{}},"comment":{"body":"/azp hold","author_association":%q,"user":{"login":"someone"}},
			"repository":{"id":1,"name":"r","owner":{"login":"o","type":%q}},"installation":{"id":3}}`, c.association, c.owner)
		if n, ok, err := bot.ParseNotice("issue_comment", []byte(body), ours); err != nil || ok != c.heard {
			t.Errorf("%q of %q: %v, %v: %+v", c.association, c.owner, ok, err, n)
		}
	}
}
