package githubsim_test

import (
	"sync"

	"github.com/azphalt/submissions/internal/githubsim"
)

// driven are the endpoints that some test has called with success.
var driven struct {
	sync.Mutex
	seen map[string]bool
}

func noteCalls(calls []githubsim.Call) {
	driven.Lock()
	defer driven.Unlock()
	if driven.seen == nil {
		driven.seen = map[string]bool{}
	}
	for _, c := range calls {
		if c.Status >= 200 && c.Status < 300 && !c.Injected {
			driven.seen[c.Method+" "+c.Template] = true
		}
	}
}
