// Package historytest writes histories by hand, in the words in which one tells them: a DaemonSet is updated, a pod becomes ready, two
// seconds pass. It is for tests of whatever reads histories; nothing in it runs against a cluster.
package historytest

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

const (
	// Namespace of everything that a builder makes.
	Namespace = "scenario"
	// RevisionLabel of the histories.
	RevisionLabel = "controller-revision-hash"
	// tick passes with every event, so that no two happen at once.
	tick = time.Millisecond
)

// Builder writes one history, event by event. Its clock stands still but for 1 ms an event and what After adds.
type Builder struct {
	t       testing.TB
	h       *history.History
	start   time.Time
	now     time.Time
	version uint64
	stimuli int
}

// New begins a history of every kind on 1 January 2026, noon UTC.
func New(t testing.TB) *Builder {
	start := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	return &Builder{
		t: t, start: start, now: start, version: 100,
		h: &history.History{CaughtUp: true, Header: history.Header{
			Version: history.FormatVersion, Scenario: t.Name(), Start: start, Namespaces: []string{Namespace}, RevisionLabel: RevisionLabel,
			Kinds: []history.Kind{
				history.KindPod, history.KindNode, history.KindDaemonSet, history.KindControllerRevision, history.KindStatefulSet,
				history.KindPodDisruptionBudget, history.KindReplicaSet,
			},
		}},
	}
}

// After lets time pass.
func (b *Builder) After(d time.Duration) *Builder {
	b.now = b.now.Add(d)
	return b
}

// Now is the time of the next event.
func (b *Builder) Now() time.Time { return b.now }

// Version is the resource version of the newest event.
func (b *Builder) Version() uint64 { return b.version }

// History returns what was written, as a recording that was caught up. The builder may go on.
func (b *Builder) History() *history.History {
	h := *b.h
	return &h
}

// Cut returns what was written as a killed harness leaves it: nothing proves that it is all.
func (b *Builder) Cut() *history.History {
	h := b.History()
	h.CaughtUp = false
	return h
}

// Without takes a kind off the list of those recorded. Entries of that kind are the caller's business.
func (b *Builder) Without(kind history.Kind) *Builder {
	var kinds []history.Kind
	for _, recorded := range b.h.Kinds {
		if recorded != kind {
			kinds = append(kinds, recorded)
		}
	}
	b.h.Kinds = kinds
	return b
}

// Gap says that events of the kind may be missing from here on.
func (b *Builder) Gap(kind history.Kind, reason string) *Builder {
	b.h.Gaps = append(b.h.Gaps, history.Gap{Kind: kind, After: b.version, Time: b.now, Reason: reason})
	return b
}

// Standstill has the API server answer nobody for so long, which passes.
func (b *Builder) Standstill(lasts time.Duration) *Builder {
	from := b.now.Sub(b.start)
	b.h.Standstills = append(b.h.Standstills, history.Standstill{From: from, Until: from + lasts, Error: "request timed out"})
	return b.After(lasts)
}

// Waits has the implementation wait for a processor for waited of the time that lasts, which passes.
func (b *Builder) Waits(lasts, waited time.Duration) *Builder {
	if b.h.Health == nil {
		b.h.Health = &history.Health{}
	}
	from := b.now.Sub(b.start)
	b.h.Health.Waits = append(b.h.Health.Waits, history.Standstill{From: from, Until: from + lasts, Waited: waited})
	return b.After(lasts)
}

// Delays has a request of the implementation outstanding, beyond what is ordinary, for the time that lasts, which passes.
func (b *Builder) Delays(lasts time.Duration) *Builder {
	from := b.now.Sub(b.start)
	b.h.Delays = append(b.h.Delays, history.Standstill{From: from, Until: from + lasts, Outstanding: lasts})
	return b.After(lasts)
}

// Subject is something that a stimulus can be about.
type Subject interface{ subject() history.Stimulus }

// Stimulus writes down an act of the harness.
func (b *Builder) Stimulus(act history.Act, on Subject) *Builder {
	b.t.Helper()
	if err := act.Valid(); err != nil {
		b.t.Fatal(err)
	}
	stimulus := on.subject()
	b.stimuli++
	stimulus.Number, stimulus.Act = b.stimuli, act
	b.append(history.Entry{ResourceVersion: b.version, Stimulus: &stimulus})
	return b
}

// Refused writes down that the API server refused the stimulus before.
func (b *Builder) Refused() *Builder {
	b.append(history.Entry{ResourceVersion: b.version, Outcome: &history.Outcome{Stimulus: b.stimuli, Refused: true, Error: "refused"}})
	return b
}

// Done writes down that the stimulus before has ended well.
func (b *Builder) Done() *Builder {
	b.append(history.Entry{ResourceVersion: b.version, Outcome: &history.Outcome{Stimulus: b.stimuli}})
	return b
}

// Watched makes it the recording of a watch of these targets, for example "DaemonSet kube-system/agent".
func (b *Builder) Watched(targets ...string) *Builder {
	b.h.Watched = targets
	return b
}

// Selecting makes the history one of the nodes with these labels alone.
func (b *Builder) Selecting(labels string) *Builder {
	b.h.NodeSelector = labels
	return b
}

// Mark writes down a point in the scenario.
func (b *Builder) Mark(mark history.Mark) *Builder {
	b.append(history.Entry{ResourceVersion: b.version, Mark: mark})
	return b
}

// End writes down the end of the scenario.
func (b *Builder) End(ending history.Ending) *Builder {
	b.append(history.Entry{ResourceVersion: b.version, Ending: &ending})
	return b
}

// Nodes adds n nodes, named node-1 and so on.
func (b *Builder) Nodes(n int) *Builder {
	for i := 1; i <= n; i++ {
		b.Node(fmt.Sprintf("node-%d", i)).Join()
	}
	return b
}

// event appends a watch event for a copy of the object.
func (b *Builder) event(kind history.Kind, event watch.EventType, object history.Object) {
	b.version++
	written, ok := object.DeepCopyObject().(history.Object)
	if !ok {
		b.t.Helper()
		b.t.Fatalf("a copy of a %T is not an object", object)
	}
	written.SetResourceVersion(strconv.FormatUint(b.version, 10))
	b.append(history.Entry{ResourceVersion: b.version, Type: event, Kind: kind, Object: written})
}

func (b *Builder) append(entry history.Entry) {
	entry.Time, entry.Received = b.now, b.now.Sub(b.start)
	b.h.Entries = append(b.h.Entries, entry)
	b.now = b.now.Add(tick)
}

func (b *Builder) meta(kind history.Kind, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: Namespace, CreationTimestamp: metav1.NewTime(b.now.Truncate(time.Second)),
		UID: types.UID(fmt.Sprintf("%s-%s-%d", kind, name, b.version)),
	}
}

// Node is a node of the history.
type Node struct {
	b      *Builder
	object *corev1.Node
}

// Node returns the node of that name, to be joined, edited or acted on.
func (b *Builder) Node(name string) *Node {
	for i := len(b.h.Entries) - 1; i >= 0; i-- {
		if node, ok := b.h.Entries[i].Object.(*corev1.Node); ok && node.Name == name {
			return &Node{b: b, object: node.DeepCopy()}
		}
	}
	node := &corev1.Node{ObjectMeta: b.meta(history.KindNode, name)}
	node.Namespace = ""
	node.Labels = map[string]string{corev1.LabelHostname: name}
	return &Node{b: b, object: node}
}

// Join adds the node.
func (n *Node) Join() *Node {
	n.b.event(history.KindNode, watch.Added, n.object)
	return n
}

// Edit changes the node.
func (n *Node) Edit(edit func(*corev1.Node)) *Node {
	edit(n.object)
	n.b.event(history.KindNode, watch.Modified, n.object)
	return n
}

// Taint adds a taint.
func (n *Node) Taint(key string, effect corev1.TaintEffect) *Node {
	return n.Edit(func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
	})
}

// Leave deletes the node.
func (n *Node) Leave() { n.b.event(history.KindNode, watch.Deleted, n.object) }

func (n *Node) subject() history.Stimulus {
	return history.Stimulus{Kind: history.KindNode, Name: n.object.Name, UID: n.object.UID, Node: n.object.Name}
}

// Object names something that does not exist, for a stimulus.
func Object(kind history.Kind, name string) Subject {
	namespace := Namespace
	if kind == history.KindNode || kind == history.KindNamespace {
		namespace = ""
	}
	return named{Kind: kind, Namespace: namespace, Name: name}
}

// Gate is the implementation, for a stimulus that starts it with the feature gate on or off.
func Gate(name string, on bool) Subject { return named{Gates: map[string]bool{name: on}} }

type named history.Stimulus

func (n named) subject() history.Stimulus { return history.Stimulus(n) }
