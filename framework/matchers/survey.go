package matchers

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

// Survey collects from one replay of a history what any number of matchers ask of it. Give every step of the replay to Observe, then Ask.
type Survey struct {
	h     *history.History
	steps []func(*history.Cluster, history.Change)
	found map[*leaf][]Occurrence
	// end is the state that the history ends with, last its last entry.
	end  *history.Cluster
	last history.Entry
	// moved is when something last changed that a rollout consists of.
	moved time.Time
	// standing are the verdicts of the rules.
	standing judge.Verdicts
}

// NewSurvey prepares the answers to the matchers.
func NewSurvey(h *history.History, matchers ...Matcher) *Survey {
	s := &Survey{h: h, found: map[*leaf][]Occurrence{}, end: history.NewCluster(h.RevisionLabel), moved: h.Start}
	followed := map[*leaf]bool{}
	for _, matcher := range matchers {
		for _, event := range matcher.asksOf() {
			for _, l := range event.leaves {
				if !followed[l] {
					followed[l] = true
					s.steps = append(s.steps, l.follow(h, func(m Moment) { s.found[l] = append(s.found[l], m.Occurrence) }))
				}
			}
		}
	}
	return s
}

// Observe takes a step of the replay in.
func (s *Survey) Observe(cluster *history.Cluster, change history.Change) {
	for _, step := range s.steps {
		step(cluster, change)
	}
	s.end, s.last = cluster, change.Entry
	if moves(change) {
		s.moved = cluster.Time
	}
}

// Ask returns the matcher's answer, once the replay is over. The matcher is one of those given to NewSurvey.
func (s *Survey) Ask(m Matcher, standing judge.Verdicts) Answer {
	s.standing = standing
	return m.answer(s)
}

// atOnce is how long nothing may have moved before what was due is overdue.
const atOnce = judge.Lag + judge.Prompt

// stoodStill reports whether nothing that a rollout consists of changed for that long in the end, in which the API server answered: what was due within it is then
// overdue.
func (s *Survey) stoodStill(d time.Duration) bool {
	return !s.last.Time.Before(s.h.Allowed(s.moved, d))
}

// moves reports whether the change is one that a rollout consists of, and not a status write or a heartbeat.
func moves(change history.Change) bool {
	switch object := change.Object.(type) {
	case nil:
		return change.Stimulus != nil || change.Outcome != nil
	case *appsv1.DaemonSet:
		before, ok := change.Before.(*appsv1.DaemonSet)
		return !ok || before.Generation != object.Generation
	case *corev1.Pod:
		before, ok := change.Before.(*corev1.Pod)
		return !ok || change.Type == watch.Deleted || history.IsReady(before) != history.IsReady(object) || before.Status.Phase != object.Status.Phase ||
			(before.DeletionTimestamp == nil) != (object.DeletionTimestamp == nil)
	case *appsv1.ControllerRevision:
		// A new number alone leads nowhere: who goes on renumbering does not put off what is due.
		before, ok := change.Before.(*appsv1.ControllerRevision)
		return !ok || change.Type == watch.Deleted || !equality.Semantic.DeepEqual(before.Labels, object.Labels) ||
			!equality.Semantic.DeepEqual(before.OwnerReferences, object.OwnerReferences)
	case *corev1.Node:
		return !history.SameToScenario(change.Before, object)
	case *history.UnitedDaemonSet:
		before, ok := change.Before.(*history.UnitedDaemonSet)
		return !ok || before.Generation != object.Generation
	}
	return true
}

// answerOf answers one matcher over a whole history, the standing rules included.
func answerOf(h *history.History, m Matcher) Answer {
	s := NewSurvey(h, m)
	return s.Ask(m, judge.Run(h, rules.All(), s.Observe))
}
