package historytest

import (
	"encoding/json"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Answer writes down an answer of the API server to a request of the last stimulus. It may not be the last one.
func (b *Builder) Answer(exchange history.Exchange) *Builder {
	exchange.Stimulus = b.stimuli
	b.append(history.Entry{ResourceVersion: b.version, Exchange: &exchange})
	return b
}

// Stores is the answer to a request that was accepted, with what was stored.
func (b *Builder) Stores(verb string, stored *appsv1.DaemonSet) *Builder {
	b.t.Helper()
	object, err := json.Marshal(stored)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.Answer(history.Exchange{Verb: verb, Resource: "daemonsets", Name: stored.Name, Code: http.StatusOK, Object: object})
}
