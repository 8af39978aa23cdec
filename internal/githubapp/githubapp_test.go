package githubapp

import "testing"

func TestAPI(t *testing.T) {
	for server, want := range map[string]string{
		"":                          "https://api.github.com/",
		"https://github.com":        "https://api.github.com/",
		"https://api.github.com/":   "https://api.github.com/",
		"https://ghe.example.com":   "https://ghe.example.com/api/v3/",
		"http://127.0.0.1:8080":     "http://127.0.0.1:8080/api/v3/",
		"http://127.0.0.1:8080/api": "http://127.0.0.1:8080/api/",
		"https://api.acme.ghe.com":  "https://api.acme.ghe.com/",
	} {
		if got, err := API(server); err != nil || got.String() != want {
			t.Errorf("%q: %v %v, want %s", server, got, err, want)
		}
	}
	for _, bad := range []string{"github.com", "://", "http://"} {
		if got, err := API(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func TestPages(t *testing.T) {
	for server, want := range map[string]string{
		"":                          "https://github.com",
		"https://api.github.com/":   "https://github.com",
		"https://ghe.example.com/":  "https://ghe.example.com",
		"http://127.0.0.1:80/api":   "http://127.0.0.1:80",
		"https://api.acme.ghe.com/": "https://acme.ghe.com",
	} {
		if got := Pages(server); got != want {
			t.Errorf("%q: %s, want %s", server, got, want)
		}
	}
}
