package matchers

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Event is something that can happen in a history, any number of times.
type Event struct {
	text string
	// leaves are what has to be followed in a replay to find it.
	leaves []*leaf
	// find returns the occurrences in order.
	find func(*Survey) []Occurrence
	// where returns the event restricted by a predicate; nil where that would change which occurrence is meant.
	where func(is func(Moment) bool) Event
}

// leaf follows a replay and emits what happens. The function that follow returns is called after every entry.
type leaf struct {
	follow func(h *history.History, emit func(Moment)) func(*history.Cluster, history.Change)
}

// String says what the event is, in words.
func (e Event) String() string { return e.text }

// Find returns the occurrences of the event in a history.
func (e Event) Find(h *history.History) []Occurrence {
	s := NewSurvey(h, Never(e))
	h.Replay(s.Observe)
	return e.find(s)
}

// Occurrence is one time that an event happened.
type Occurrence struct {
	history.Change
	// At is when: for a change when the harness received it, for a pod that became available by waiting the instant itself.
	At time.Time

	index   int
	between bool
	// act is what an outcome is of.
	act *history.Stimulus
}

// answered returns when the occurrence had come about at the latest: the harness may hear of a change long after the API server had answered who made it.
func (o Occurrence) answered() time.Time {
	if author := o.Author; author != nil && !author.Answered.IsZero() && author.Answered.Before(o.At) {
		return author.Answered
	}
	return o.At
}

// compare orders occurrences as the history does; what happened by the passage of time comes before the entry that follows it.
func (o Occurrence) compare(other Occurrence) int {
	if order := cmp.Compare(o.index, other.index); order != 0 {
		return order
	}
	return cmp.Compare(boolToInt(!o.between), boolToInt(!other.between))
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// eventOf makes an event of a leaf.
func eventOf(text string, l *leaf) Event {
	return Event{
		text: text, leaves: []*leaf{l},
		find: func(s *Survey) []Occurrence { return s.found[l] },
		where: func(is func(Moment) bool) Event {
			return eventOf(text, &leaf{follow: func(h *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
				return l.follow(h, func(m Moment) {
					if is(m) {
						emit(m)
					}
				})
			}})
		},
	}
}

// on makes an event of the changes that the predicate picks. The predicate sees the cluster as the change left it.
func on(text string, is func(*history.Cluster, history.Change) bool) Event {
	return eventOf(text, &leaf{follow: func(_ *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		index := 0
		return func(cluster *history.Cluster, change history.Change) {
			if is(cluster, change) {
				emit(Moment{Occurrence: Occurrence{Change: change, At: change.Time, index: index}, cluster: cluster})
			}
			index++
		}
	}})
}

// Where keeps those occurrences of which the predicate is true. It comes before First, Nth and Last, which count what it leaves.
func (e Event) Where(text string, is func(Moment) bool) Event {
	if e.where == nil {
		panic(fmt.Sprintf("matchers: %q is a certain occurrence: put Where on the event that it is one of", e.text))
	}
	restricted := e.where(is)
	restricted.text = e.text + ", " + text
	return restricted
}

// On keeps those occurrences that are felt on the node.
func (e Event) On(node string) Event {
	onNode := e.derive(e.text+" on "+node, func(found []Occurrence) []Occurrence {
		return keep(found, func(o Occurrence) bool { return o.Node() == node })
	})
	if e.where != nil {
		onNode.where = func(is func(Moment) bool) Event { return e.where(is).On(node) }
	}
	return onNode
}

// BesideLivePod keeps those occurrences of a pod's event that come while its DaemonSet has another live pod on its node.
func (e Event) BesideLivePod() Event {
	return e.Where("beside a live pod", func(m Moment) bool { return len(m.LivePodsBeside()) > 0 })
}

// LastAvailable keeps those occurrences of a pod's event that come while the pod is available and no other pod of its DaemonSet on its node is.
func (e Event) LastAvailable() Event {
	return e.Where("available, and no other on its node is", func(m Moment) bool { return m.WasAvailable() && m.AvailableBeside() == 0 })
}

func keep(all []Occurrence, is func(Occurrence) bool) []Occurrence {
	var kept []Occurrence
	for _, o := range all {
		if is(o) {
			kept = append(kept, o)
		}
	}
	return kept
}

// Pod is the pod that the event is about, or nil.
func (o Occurrence) Pod() *corev1.Pod {
	pod, _ := o.Object.(*corev1.Pod)
	return pod
}

// Node is the node on which the event is felt, or empty.
func (o Occurrence) Node() string {
	switch object := o.Object.(type) {
	case *corev1.Pod:
		return history.NodeOf(object)
	case *corev1.Node:
		return object.Name
	}
	if o.Stimulus != nil {
		return o.Stimulus.Node
	}
	if o.act != nil {
		return o.act.Node
	}
	if o.Measurement != nil {
		return o.Measurement.Node
	}
	return ""
}

// describe is an entry in a few words.
func describe(entry history.Entry) string {
	switch {
	case entry.Stimulus != nil:
		return fmt.Sprintf("stimulus %q %s", entry.Stimulus.Act, entry.Stimulus.Detail)
	case entry.Outcome != nil:
		return fmt.Sprintf("stimulus no. %d ended", entry.Outcome.Stimulus)
	case entry.Measurement != nil:
		return fmt.Sprintf("measurement of %s: %s", entry.Measurement.Target, counts(entry.Measurement))
	case entry.Exchange != nil:
		return fmt.Sprintf("%s %s %s: %s", entry.Exchange.Verb, entry.Exchange.Resource, entry.Exchange.Name, answerOfServer(entry.Exchange))
	case entry.Object == nil:
		return fmt.Sprintf("rollcall %s", entry.Mark)
	}
	return fmt.Sprintf("%s %s %s", entry.Type, entry.Kind, entry.Object.GetName())
}
