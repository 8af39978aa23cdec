package githubsim

// Endpoints lists every endpoint as method, space, path template.
func Endpoints() []string {
	var list []string
	for _, r := range routes() {
		list = append(list, r.method+" "+r.path)
	}
	return list
}

// EndpointsNeedingPermission lists the endpoints of repositories with the permissions of which an App needs one.
func EndpointsNeedingPermission() map[string][]string {
	list := map[string][]string{}
	for _, r := range routes() {
		for _, g := range r.access.grants {
			list[r.method+" "+r.path] = append(list[r.method+" "+r.path], g.name+" "+g.level)
		}
	}
	return list
}
