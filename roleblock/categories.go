package roleblock

import "strings"

// builtinCategories are the prefixes of role names that stand for a category, unless meta/categories.yml says otherwise.
var builtinCategories = strings.Fields(`desk dev drv drv-modes gen svc svc-ai svc-bkp svc-db svc-dns svc-net svc-net-modes svc-opt
	svc-prx svc-registry svc-registry-modes svc-runner svc-storage svc-swarm sys sys-ctl sys-ctl-alm sys-ctl-bkp sys-ctl-cln
	sys-ctl-hlth sys-ctl-mtn sys-ctl-rpr sys-dns sys-front sys-front-inj sys-stk update update-modes user web web-app web-opt
	web-svc`)

// categories are lower-case prefixes of role names.
type categories map[string]bool

func newCategories(names []string) categories {
	c := categories{}
	for _, name := range names {
		c[strings.ToLower(name)] = true
	}
	return c
}

// entity is the name of a role without its category: what its own entry in meta/services.yml is called. It is empty where
// the role is named like a category.
func (c categories) entity(role string) string {
	lower := strings.ToLower(role)
	if c[lower] {
		return ""
	}
	for i := len(lower) - 1; i > 0; i-- {
		if lower[i] == '-' && c[lower[:i]] && len(lower) == len(role) {
			return role[i+1:]
		}
	}
	return role
}

// maxRoleName is the longest name that a directory can have. Longer categories are no role's.
const maxRoleName = 255

// readCategories returns the paths in the tree under the key roles: every key at the top, and below it every key with a
// mapping.
func readCategories(d *document) categories {
	if d.root == nil || d.root.kind != mapping {
		return categories{}
	}
	roles, ok := d.expand(d.root).get("roles")
	if !ok || roles.value.kind != mapping {
		return categories{}
	}
	var names []string
	seen := map[*node]bool{}
	var walk func(n *node, prefix string)
	walk = func(n *node, prefix string) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, p := range d.expand(n).pairs {
			if p.key.kind != scalar || len(prefix)+len(p.key.text) > maxRoleName || prefix != "" && p.value.kind != mapping {
				continue
			}
			name := prefix + p.key.text
			names = append(names, name)
			if p.value.kind == mapping {
				walk(p.value.node, name+"-")
			}
		}
	}
	walk(roles.value.node, "")
	return newCategories(names)
}
