package variants

import (
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulOutsiderReports keep histories and statuses otherwise than the reference.
func lawfulOutsiderReports() []Variant {
	return []Variant{
		{Name: "raises-histories-by-ten", Says: "Gives a history that becomes the current one again a number ten above all others.",
			Lawful:  "ROLLBACK-001 and HISTORY-010 ask for a number above those of all others; HISTORY-003: that the numbers have no gaps is not said.",
			Planner: doing(raiseByTen)},
		{Name: "notes-the-generation-on-the-history", Says: "Has an annotation on the current history that says for which generation of the DaemonSet it was last in force.",
			Lawful: "HISTORY-001 and HISTORY-002 say what a history has, and not what it has not, HISTORY-028 what of it cannot be changed. " +
				"SURGE-025 forbids writes as long as nothing changes, and a generation is a change.",
			Planner: remember(noteGeneration)},
		{Name: "pods-that-ended-count-as-scheduled", Says: "Counts nodes of whose pods all have ended in currentNumberScheduled, until the last is gone.",
			Lawful:  "STATUS-002 leaves open whether a pod that has ended is one that the node has. STATUS-013 holds, for the number only rises.",
			Planner: reporting(countEnded)},
		{Name: "reports-gains-late", Says: "Writes a status in which numbers only rise, and nothing else changes, two seconds after it could, and every other one at once.",
			Lawful:  "STATUS-001 to STATUS-010 give the numbers 15 seconds. TAKEOVER-005 gives them five after a start, and what STATUS-014 has within five is written at once.",
			Planner: remember(reportGainsLate)},
		{Name: "says-how-long-a-stall-has-lasted", Says: "Says in the condition of a stall, every five seconds anew, for how long the rollout has stood still, as long as it is under way.",
			Lawful: "COND-001 asks for a condition that names the cause, and forbids no more words; COND-003 asks for its end. " +
				"SURGE-025 is about the time after a rollout, and STATUS-012 about equal statuses.",
			Planner: tellTheTime},
	}
}

func raiseByTen(actions *plan.Actions, state plan.State, _ time.Time) {
	for _, update := range actions.UpdateRevisions {
		raised := func(is *appsv1.ControllerRevision) bool {
			return is.UID == update.Revision.UID && is.Revision < update.Revision.Revision
		}
		if slices.ContainsFunc(state.Revisions, raised) {
			update.Revision.Revision += 9
		}
	}
}

func noteGeneration(m *memory[written]) Around {
	const key = "example.com/in-force-for-generation"
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		ds, last := state.DaemonSet, m.of(state)
		if state.AwaitingOwnWrites || actions.CreateRevision != nil || adopts(*actions) {
			return
		}
		var current *appsv1.ControllerRevision
		for _, revision := range state.Revisions {
			if stored := plan.StoredTemplate(revision); stored == nil || !apiequality.Semantic.DeepEqual(stored, &ds.Spec.Template) {
				continue
			}
			if metav1.IsControlledBy(revision, ds) && revision.DeletionTimestamp == nil && (current == nil || current.Revision < revision.Revision) {
				current = revision
			}
		}
		says := strconv.FormatInt(ds.Generation, 10)
		if current == nil || current.Annotations[key] == says {
			return
		}
		// Whatever else is due does not fail again and again with this.
		if wait := last.at.Add(2 * time.Second).Sub(now); wait > 0 {
			comeBack(actions, wait)
			return
		}
		last.at = now
		for _, update := range actions.UpdateRevisions {
			if update.Revision.UID == current.UID {
				metav1.SetMetaDataAnnotation(&update.Revision.ObjectMeta, key, says)
				return
			}
		}
		noted := current.DeepCopy()
		metav1.SetMetaDataAnnotation(&noted.ObjectMeta, key, says)
		actions.UpdateRevisions = append(slices.Clone(actions.UpdateRevisions), plan.RevisionUpdate{Revision: noted})
	})
}

// countEnded adds the nodes that the planner does not count. Those that nobody controls may be counted already, as pods that are adopted in this pass.
func countEnded(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
	maybeCounted := map[string]bool{}
	for _, pod := range state.Pods {
		if !plan.HasEnded(pod) && (metav1.IsControlledBy(pod, state.DaemonSet) || metav1.GetControllerOf(pod) == nil) {
			maybeCounted[plan.TargetNode(pod)] = true
		}
	}
	ended := howMany(nodes(state), func(n *node) bool { return n.eligible && len(n.ended) > 0 && !maybeCounted[n.name] })
	status.CurrentNumberScheduled = min(status.DesiredNumberScheduled, status.CurrentNumberScheduled+int32(ended))
}

func reportGainsLate(m *memory[holding]) Around {
	const key = "gains"
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		h, is, will := m.of(state), state.DaemonSet.Status, actions.Status
		if will == nil {
			if !state.AwaitingOwnWrites {
				h.only(nil)
			}
			return
		}
		same := is.DeepCopy()
		same.CurrentNumberScheduled, same.NumberReady, same.NumberAvailable = will.CurrentNumberScheduled, will.NumberReady, will.NumberAvailable
		same.UpdatedNumberScheduled, same.NumberUnavailable = will.UpdatedNumberScheduled, will.NumberUnavailable
		rises := will.CurrentNumberScheduled >= is.CurrentNumberScheduled && will.NumberReady >= is.NumberReady &&
			will.NumberAvailable >= is.NumberAvailable && will.UpdatedNumberScheduled >= is.UpdatedNumberScheduled
		if rises && apiequality.Semantic.DeepEqual(same, will) && h.held(key, 2*time.Second, now, actions) {
			actions.Status = nil
			return
		}
		h.only(nil)
	})
}

// tellTheTime shows the planner the condition without the time, and writes it with it.
func tellTheTime(next plan.Planner) plan.Planner {
	const (
		before = " (for "
		period = 5 * time.Second
	)
	stalledIn := func(status *appsv1.DaemonSetStatus) *appsv1.DaemonSetCondition {
		at := slices.IndexFunc(status.Conditions, func(c appsv1.DaemonSetCondition) bool {
			return c.Type == plan.ConditionStalled && c.Status == corev1.ConditionTrue
		})
		if at < 0 {
			return nil
		}
		return &status.Conditions[at]
	}
	return func(state plan.State, now time.Time) plan.Actions {
		shown := state
		shown.DaemonSet = state.DaemonSet.DeepCopy()
		said, stood := stalledIn(&shown.DaemonSet.Status), ""
		if said != nil {
			at := strings.LastIndex(said.Message, before)
			if at >= 0 && isTime(strings.TrimSuffix(said.Message[at+len(before):], ")")) {
				said.Message, stood = said.Message[:at], said.Message[at:]
			}
		}
		actions := next(shown, now)
		if actions.Err != nil || state.DaemonSet.DeletionTimestamp != nil {
			return actions
		}
		status := shown.DaemonSet.Status.DeepCopy()
		if actions.Status != nil {
			status = actions.Status.DeepCopy()
		}
		if stalled := stalledIn(status); stalled != nil {
			lasted := now.Sub(stalled.LastTransitionTime.Time)
			switch {
			case actions.RolloutInProgress && lasted >= period:
				stalled.Message += before + lasted.Truncate(period).String() + ")"
			case !actions.RolloutInProgress:
				// What was said stays: nothing is written for the clock's sake after a rollout.
				stalled.Message += stood
			}
			if actions.RolloutInProgress {
				comeBack(&actions, period-max(0, lasted)%period)
			}
		}
		actions.Status = unlessWritten(state, status)
		return actions
	}
}

func isTime(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil
}
