package revisions

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What the scenario of duplicates chooses.
const (
	outdated = "the pod of an older template"
	lower    = "duplicate-lower"
	higher   = "duplicate-higher"
	label    = "twin"
)

// duplicates is the spec of several histories of the current template.
func duplicates() {
	spec.It("keeps the highest of several histories of its template, and relabels the pods of the others alone",
		spec.Decides("HISTORY-011", "HISTORY-012"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, OnDelete())
			old := c.LivePodOn(ctx, daemonSet, nodes[1])
			c.Bind(outdated, old.Name)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), 0)
			c.Require(ctx, "one pod is updated", UpdatedOn(1, updated, history.IsReady))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			current := historyOf(ctx, c, updated, "v2")
			c.CreateRevision(ctx, copyOf(c, current, lower, label+"-lower", current.Revision-1))
			// It is there by then, whoever deletes it when.
			c.Await(ctx, Quiet(time.Second))
			c.Await(ctx, gone(lower))
			c.Await(ctx, Quiet(time.Second))
			c.CreateRevision(ctx, copyOf(c, current, higher, label, current.Revision+7))
			c.Await(ctx, gone(current.Name))
			c.Await(ctx, Quiet(2*time.Second))
			rolling := c.Update(ctx, updated, MaxUnavailable("1"))
			// Who has removed neither by now has the time to do it once more.
			c.Await(ctx, state.All(RolledOut(rolling), keeps("daemon", "v2", "v1"), gone(lower), gone(current.Name)))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-011",
				AtLeast(1, RevisionDeleted().Where(lower, isNamed(lower))), Never(RevisionDeleted().Where(higher, isNamed(higher))),
				ComesToHold(keeps("daemon", "v2", "v1")))
			j.Decide("HISTORY-012",
				Never(PodLabelled(j.RevisionLabel(), Named(j.Bound(outdated)))),
				AtLeast(1, PodLabelled(j.RevisionLabel(), OfVersion("v2"))),
				EndsRolledOut(), AtLeast(1, PodDeleted(Named(j.Bound(outdated)))), Never(PodDeleted(OfVersion("v2"))))
		})
}

func isNamed(name string) func(Moment) bool {
	return func(m Moment) bool { return m.Object.GetName() == name }
}
