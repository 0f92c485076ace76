package revisions

import (
	"context"
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// leaving are the specs of the history with the largest revision, which is being deleted when another template takes the place of its own.
func leaving() {
	for _, next := range []struct {
		template string
		version  string
		decides  []requirements.ID
	}{
		{"a new template", "v3", []requirements.ID{"HISTORY-003", "HISTORY-010"}},
		{"the template before", "v1", []requirements.ID{"ROLLBACK-001", "HISTORY-010"}},
	} {
		spec.It("gives the history of "+next.template+" a larger revision than that of one that is being deleted, and that a finalizer holds back",
			next.decides,
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 1)
				daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
				c.RollOut(ctx, daemonSet, Image("v2"))
				c.Require(ctx, "the rollout is over", Quiet(time.Second))
				deleted := historyOf(ctx, c, daemonSet, "v2")
				c.HoldRevision(ctx, deleted)
				// It is the current one until then.
				c.Kill(ctx)
				c.DeleteRevision(ctx, deleted)
				updated := c.Update(ctx, daemonSet, Image(next.version))
				c.Restart(ctx)
				c.Await(ctx, RolledOut(updated))
				c.Await(ctx, Quiet(3*time.Second))
			},
			func(j *spec.Checks) {
				j.Given(AtLeast(1, Done(history.DeleteRevision)), AtLeast(1, Done(history.RestartImplementation)))
				for _, id := range next.decides {
					j.Decide(id, ComesToHold(largest(next.version)), EndsRolledOut())
				}
			}, spec.Alone{}, spec.SimulatedNodes{})
	}
}

// largest holds when the history of the version has a larger number than all others.
func largest(version string) Condition {
	return state.Right("the history of "+version+" has the largest number", func(cluster *history.Cluster) error {
		of := map[string]int64{}
		for _, revision := range cluster.Revisions {
			of[versionOf(revision)] = revision.Revision
		}
		for other, number := range of {
			if other != version && number >= of[version] {
				return fmt.Errorf("the history of %s has number %d, and that of %s has %d", version, of[version], other, number)
			}
		}
		return nil
	})
}
