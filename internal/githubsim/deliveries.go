package githubsim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

func (v *Delivery) itemJSON() obj {
	var repo, installation any
	if v.Repository != 0 {
		repo = v.Repository
	}
	if v.Installation != 0 {
		installation = v.Installation
	}
	return obj{
		"id": v.ID, "guid": v.GUID, "delivered_at": v.Delivered.Format(time.RFC3339), "redelivery": v.Redelivery, "duration": v.Duration.Seconds(),
		"status": v.Status, "status_code": v.StatusCode, "event": v.Event, "action": orNull(v.Action), "installation_id": installation,
		"repository_id": repo, "throttled_at": nil, "url": v.url,
	}
}

// listDeliveries serves the App's deliveries, newest first, from a cursor on.
func listDeliveries(r *request) (reply, error) {
	q := r.query()
	var list []Delivery
	for _, v := range r.sim.Deliveries() {
		if v.app == r.actor.app.ID && v.Done && (q.Get("redelivery") == "" || q.Get("redelivery") == strconv.FormatBool(v.Redelivery)) {
			list = append(list, v)
		}
	}
	slices.Reverse(list)
	if cursor := q.Get("cursor"); cursor != "" {
		at := slices.IndexFunc(list, func(v Delivery) bool { return strconv.FormatInt(v.ID, 10) == cursor })
		if at < 0 {
			return reply{}, unprocessable("Invalid cursor")
		}
		list = list[at:]
	}
	size := r.page(defaultPerPage).size
	out := reply{status: http.StatusOK}
	if len(list) > size {
		out.header = http.Header{"Link": {r.link("next", "cursor", strconv.FormatInt(list[size].ID, 10))}}
		list = list[:size]
	}
	items := []any{}
	for _, v := range list {
		items = append(items, v.itemJSON())
	}
	out.body = items
	return out, nil
}

// delivery finds the delivery that the path names.
func (r *request) delivery() (Delivery, error) {
	id, err := r.number("delivery_id")
	if err != nil {
		return Delivery{}, err
	}
	for _, v := range r.sim.Deliveries() {
		if v.ID == id && v.app == r.actor.app.ID && v.Done {
			return v, nil
		}
	}
	return Delivery{}, notFound()
}

func getDelivery(r *request) (reply, error) {
	v, err := r.delivery()
	if err != nil {
		return reply{}, err
	}
	var response any
	if v.responseHeader != nil {
		response = string(v.response)
	}
	return ok(with(v.itemJSON(), obj{
		"request":  obj{"headers": v.headerJSON(v.requestHeader), "payload": json.RawMessage(v.Payload)},
		"response": obj{"headers": v.headerJSON(v.responseHeader), "payload": response},
	}))
}

func redeliver(r *request) (reply, error) {
	v, err := r.delivery()
	if err != nil {
		return reply{}, err
	}
	r.sim.redeliver(v.ID, r.actor.app)
	return reply{status: http.StatusAccepted, body: obj{}}, nil
}

func hookConfig(app *App) obj {
	return obj{"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": app.hook.url}
}

func getHookConfig(r *request) (reply, error) { return ok(hookConfig(r.actor.app)) }

func updateHookConfig(r *request) (reply, error) {
	var in struct{ URL, Secret *string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	take(&r.actor.app.hook.url, in.URL)
	take(&r.actor.app.hook.secret, in.Secret)
	return ok(hookConfig(r.actor.app))
}
