package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulReports report before they act, long after it, or count what the documents leave open otherwise.
func lawfulReports() []Variant {
	const prompt = "A reaction may take five seconds."
	return []Variant{
		{Name: "acts-two-seconds-after-it-reports", Says: "Reports that a generation has been observed as soon as it sees it, and does nothing about it for two seconds.",
			Lawful: "STATUS-010 asks for numbers of the generation's spec, and HISTORY-010 for the history promptly; AVAIL-003 lets three seconds pass. " +
				"STATUS-016: it prunes at once, of which the numbers could not tell yet.",
			Planner: remember(reportFirst(2 * time.Second))},
		{Name: "records-templates-late", Says: "Creates the history of a template three seconds after it could, and does nothing else before.",
			Lawful: prompt, Planner: remember(recordLate)},
		{Name: "status-every-ten-seconds-of-a-rollout",
			Says:    "Writes the status every ten seconds at most while a rollout is under way, unless a condition or the number of nodes has changed.",
			Lawful:  "STATUS-001 to STATUS-010 give the numbers 15 seconds.",
			Planner: remember(reportSeldom(10 * time.Second))},
		{Name: "leaving-pods-are-not-scheduled", Says: "Leaves nodes on which every pod is on its way out out of currentNumberScheduled.",
			Lawful: "STATUS-002 leaves open whether such a pod is one that the node has.", Planner: reporting(countLive)},
	}
}

// reportedGeneration is a generation that has been reported, and since when that is known.
type reportedGeneration struct {
	generation int64
	at         time.Time
}

func reportFirst(wait time.Duration) func(m *memory[reportedGeneration]) Around {
	return func(m *memory[reportedGeneration]) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			ds, seen := state.DaemonSet, m.of(state)
			switch {
			case state.AwaitingOwnWrites, prunes(*actions):
				return
			case ds.Status.ObservedGeneration != ds.Generation:
				status := ds.Status.DeepCopy()
				if actions.Status != nil {
					status = actions.Status.DeepCopy()
				}
				status.ObservedGeneration = ds.Generation
				*actions = plan.Actions{Status: status, RolloutInProgress: actions.RolloutInProgress, RequeueAfter: 100 * time.Millisecond}
				// It is known from now on, also to a process that finds it reported.
				*seen = reportedGeneration{generation: ds.Generation, at: now}
				return
			case seen.generation != ds.Generation:
				// A process before this one has reported it.
				*seen = reportedGeneration{generation: ds.Generation}
			}
			if left := seen.at.Add(wait).Sub(now); left > 0 {
				*actions = plan.Actions{Status: actions.Status, RolloutInProgress: actions.RolloutInProgress, RequeueAfter: actions.RequeueAfter}
				comeBack(actions, left)
			}
		})
	}
}

// recordLate puts everything off while the template in force has no history.
func recordLate(m *memory[holding]) Around {
	return holdAllWhile(m, func(actions plan.Actions) bool { return !adopts(actions) && actions.CreateRevision != nil })
}

func reportSeldom(period time.Duration) func(m *memory[written]) Around {
	return func(m *memory[written]) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			last, is := m.of(state), state.DaemonSet.Status
			if actions.Status == nil {
				return
			}
			urgent := actions.Status.DesiredNumberScheduled != is.DesiredNumberScheduled || actions.Status.NumberMisscheduled != is.NumberMisscheduled ||
				!apiequality.Semantic.DeepEqual(actions.Status.CollisionCount, is.CollisionCount) ||
				!apiequality.Semantic.DeepEqual(actions.Status.Conditions, is.Conditions)
			if left := last.at.Add(period).Sub(now); left > 0 && actions.RolloutInProgress && !urgent {
				actions.Status = nil
				comeBack(actions, left)
				return
			}
			last.at = now
		})
	}
}

// countLive counts the nodes with a pod that runs or is about to. Those that count otherwise, such as by a pod that is adopted in this pass, have one.
func countLive(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
	live := howMany(nodes(state), func(n *node) bool { return n.eligible && len(n.olds)+len(n.news) > 0 })
	status.CurrentNumberScheduled = min(status.CurrentNumberScheduled, max(int32(live), status.NumberReady, status.UpdatedNumberScheduled))
}
