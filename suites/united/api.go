package united

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// attempt is a UnitedDaemonSet to be tried, with the requirement that decides about it.
type attempt struct {
	name, what  string
	requirement requirements.ID
	edit        func(spec map[string]any)
}

// wrong are those that have to be rejected.
func wrong() []attempt {
	ref := func(key, value string) func(map[string]any) {
		return func(spec map[string]any) { spec["targetRef"].(map[string]any)[key] = value }
	}
	subset := func(edit func(subset map[string]any)) func(map[string]any) {
		return func(spec map[string]any) { edit(spec["subsets"].([]any)[0].(map[string]any)) }
	}
	selector := func(selector map[string]any) func(map[string]any) {
		return subset(func(subset map[string]any) { subset["selector"] = selector })
	}
	expressions := []any{map[string]any{"key": zone, "operator": "Exists"}}
	return []attempt{
		{"of-a-deployment", "a target of another kind", "UNITED-002", ref("kind", "Deployment")},
		{"of-another-group", "a target of another group", "UNITED-002", ref("apiVersion", "extensions/v1beta1")},
		{"of-nothing", "no target", "UNITED-002", func(spec map[string]any) { delete(spec, "targetRef") }},
		{"unnamed", "a subset without a name", "UNITED-003", subset(func(subset map[string]any) { delete(subset, "name") })},
		{"same-name", "two subsets of one name", "UNITED-003", func(spec map[string]any) {
			subsets := spec["subsets"].([]any)
			spec["subsets"] = append(subsets, subsets[0])
		}},
		{"both-selectors", "names together with matchExpressions", "UNITED-004", selector(map[string]any{"names": []any{"n"}, "matchExpressions": expressions})},
		{"no-selector", "neither names nor matchExpressions", "UNITED-004", selector(map[string]any{})},
	}
}

// api are the specs of what the API server accepts, rejects and stores.
func api() {
	const accepted, strategy = "accepted", "with-a-strategy"
	spec.It("serves UnitedDaemonSets with a status subresource, and rejects invalid ones",
		spec.Decides("UNITED-001", "UNITED-002", "UNITED-003", "UNITED-004", "UNITED-026"),
		func(ctx context.Context, c *spec.Case) {
			plain := c.NewUnited(accepted, target, OnNodes(Subset("first", c.ImagePatch("v2")), "n"), Where(Subset("second", c.ImagePatch("v3")), zone, "a"))
			if stored, err := c.TryUnite(ctx, accepted, plain); err == nil {
				// What is written there is nobody's business for longer than it takes the implementation to write its own.
				_, _ = c.TryReport(ctx, stored, history.UnitedStatus{ObservedGeneration: 7})
			}
			for _, attempt := range wrong() {
				body := document(c.NewUnited(attempt.name, target, OnNodes(Subset("first", c.ImagePatch("v2")), "n")))
				attempt.edit(body["spec"].(map[string]any))
				_, _ = c.TryUnite(ctx, attempt.name, body)
			}
			body := document(c.NewUnited(strategy, target, OnNodes(Subset("first", c.ImagePatch("v2")), "n")))
			subset := body["spec"].(map[string]any)["subsets"].([]any)[0].(map[string]any)
			subset["updateStrategy"] = map[string]any{"type": "OnDelete"}
			subset["patch"].(map[string]any)["updateStrategy"] = map[string]any{"type": "OnDelete"}
			_, _ = c.TryUnite(ctx, strategy, body)
			c.Await(ctx, state.When("the API server's answers are recorded", func(cluster *history.Cluster) bool { return len(cluster.United()) > 0 }))
		},
		func(j *spec.Checks) {
			// What is not served is not found.
			j.Decide("UNITED-001",
				Answers("creating a UnitedDaemonSet with two subsets", Answered(history.CreateUnited, accepted), WithCode(http.StatusCreated)),
				Answers("writing its status", Answered(history.WriteStatus, accepted), WithCode(http.StatusOK)))
			for _, attempt := range wrong() {
				j.Decide(attempt.requirement, Refused(attempt.what, Answered(history.CreateUnited, attempt.name)))
			}
			j.Decide("UNITED-026", RefusedOrPruned("an update strategy of a subset", "updateStrategy", Answered(history.CreateUnited, strategy)))
		}, kinds(), spec.AppsV1{})
}

// document is the UnitedDaemonSet as it is written in JSON.
func document(united *history.UnitedDaemonSet) map[string]any {
	encoded, err := json.Marshal(united)
	if err != nil {
		panic(fmt.Sprintf("encode a UnitedDaemonSet: %v", err))
	}
	var body map[string]any
	if err := json.Unmarshal(encoded, &body); err != nil {
		panic(fmt.Sprintf("decode a UnitedDaemonSet: %v", err))
	}
	return body
}
