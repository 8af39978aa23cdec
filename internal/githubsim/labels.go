package githubsim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

type label struct {
	id                       int64
	name, color, description string
}

// label finds a label by its name, whatever its case.
func (r *Repo) label(name string) *label {
	for _, l := range r.labels {
		if strings.EqualFold(l.name, name) {
			return l
		}
	}
	return nil
}

// ensureLabel finds a label or makes it, as adding one to an issue does.
func (r *Repo) ensureLabel(name string) *label {
	l := r.label(name)
	if l == nil {
		l = &label{id: r.sim.id(), name: name, color: "ededed"}
		r.labels = append(r.labels, l)
	}
	return l
}

// Label puts labels on the issue or pull request.
func (i *Issue) Label(login string, names ...string) {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addLabels(i, names, s.account(login))
}

// Unlabel takes a label off.
func (i *Issue) Unlabel(login, name string) {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeLabel(i, i.Repo.label(name), s.account(login))
}

func (s *Sim) addLabels(i *Issue, names []string, who *account) {
	for _, name := range names {
		l := i.Repo.ensureLabel(name)
		if slices.Contains(i.labels, l) {
			continue
		}
		i.labels = append(i.labels, l)
		i.updated = now()
		s.emitLabel(i, "labeled", l, who)
	}
}

// removeLabel reports whether the label was there.
func (s *Sim) removeLabel(i *Issue, l *label, who *account) bool {
	at := slices.Index(i.labels, l)
	if at < 0 {
		return false
	}
	i.labels = slices.Delete(i.labels, at, at+1)
	i.updated = now()
	s.emitLabel(i, "unlabeled", l, who)
	return true
}

func (l *label) json(r *Repo) obj {
	return obj{
		"id": l.id, "node_id": nodeID("Label", l.id), "url": r.api("/labels/%s", escapePath(l.name)), "name": l.name, "color": l.color,
		"description": orNull(l.description), "default": false,
	}
}

func (i *Issue) labelsJSON() []any {
	list := []any{}
	for _, l := range i.labels {
		list = append(list, l.json(i.Repo))
	}
	return list
}

func listIssueLabels(r *request) (reply, error) {
	i, err := r.issue()
	if err != nil {
		return reply{}, err
	}
	return paged(r, i.labels, func(l *label) any { return l.json(r.repo) })
}

// addLabels takes a bare list as well as {"labels": […]}.
func addLabels(r *request) (reply, error) {
	i, err := r.issue()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Labels []string }
	if bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("[")) {
		err = json.Unmarshal(r.body, &in.Labels)
	} else {
		err = r.decode(&in)
	}
	if err != nil || slices.ContainsFunc(in.Labels, func(n string) bool { return n == "" || len(n) > 50 }) {
		return reply{}, invalid("Label", "name", "invalid", "")
	}
	r.sim.addLabels(i, in.Labels, r.actor.account)
	return ok(i.labelsJSON())
}

func removeLabel(r *request) (reply, error) {
	i, err := r.issue()
	if err != nil {
		return reply{}, err
	}
	if l := r.repo.label(r.params["name"]); l == nil || !r.sim.removeLabel(i, l, r.actor.account) {
		return reply{}, &apiError{status: 404, message: "Label does not exist"}
	}
	return ok(i.labelsJSON())
}

func listLabels(r *request) (reply, error) {
	return paged(r, r.repo.labels, func(l *label) any { return l.json(r.repo) })
}

func getLabel(r *request) (reply, error) {
	l := r.repo.label(r.params["name"])
	if l == nil {
		return reply{}, notFound()
	}
	return ok(l.json(r.repo))
}

func createLabel(r *request) (reply, error) {
	var in struct{ Name, Color, Description string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	switch {
	case in.Name == "":
		return reply{}, invalid("Label", "name", "missing_field", "")
	case r.repo.label(in.Name) != nil:
		return reply{}, invalid("Label", "name", "already_exists", "")
	case in.Color != "" && !isColor(in.Color):
		return reply{}, invalid("Label", "color", "invalid", "")
	}
	l := r.repo.ensureLabel(in.Name)
	l.description = in.Description
	if in.Color != "" {
		l.color = in.Color
	}
	return created(l.json(r.repo))
}

// isColor reports whether text is six hexadecimal digits; a leading # is not allowed.
func isColor(text string) bool {
	return len(text) == 6 && strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}
