package history

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Entry is one event of a history: a watch event, or something that the harness did or saw. Exactly one of Object, Stimulus, Outcome, Exchange, Mark,
// Measurement and Ending is set.
type Entry struct {
	// ResourceVersion is the event's place in the order. A stimulus carries the newest version that the recorder had seen when
	// the stimulus began, so everything it causes comes after it. What else the harness adds carries the newest when it was made known.
	ResourceVersion uint64
	// Received is when the harness got the event, on its monotonic clock, since the recording began. It is never earlier than
	// the event itself.
	Received time.Duration
	// Time is Received on the wall clock, to be compared with the timestamps in objects.
	Time time.Time
	// Type is Added, Modified or Deleted; empty without Object.
	Type watch.EventType
	// Kind of Object; empty without it.
	Kind Kind
	// Object after the event; for Deleted, its last state.
	Object Object
	// Stimulus is what the harness was about to do, Outcome what became of it.
	Stimulus *Stimulus
	Outcome  *Outcome
	// Exchange is a request of the harness, once it was answered.
	Exchange *Exchange
	// Mark is a point in the scenario that its checks refer to.
	Mark Mark
	// Ending is the end of the scenario.
	Ending *Ending
	// Measurement is what a client had measured by then.
	Measurement *Measurement
	// Author of the event; nil where it is not known: see History.Authors.
	Author *Author
}

// Sent is the created pod as its author sent it: the recorded one, unless admission changed a part of it. Nil if the object is no pod, or its author is not known.
func (e *Entry) Sent() *corev1.Pod {
	pod, isPod := e.Object.(*corev1.Pod)
	switch {
	case !isPod || e.Author == nil:
		return nil
	case e.Author.Asked == nil:
		return pod
	}
	sent := pod.DeepCopy()
	sent.Labels, sent.Annotations, sent.Spec = e.Author.Asked.Labels, e.Author.Asked.Annotations, e.Author.Asked.Spec
	return sent
}

// isHarness reports whether the entry is something that the harness did or saw, and not a watch event.
func (e *Entry) isHarness() bool {
	return e.Stimulus != nil || e.Outcome != nil || e.Exchange != nil || e.Mark != "" || e.Measurement != nil || e.Ending != nil
}

// Gap is a stretch of the order in which events of a kind may be missing: a watch that ended with 410 Gone or could not be
// resumed. Whatever is judged across it is inconclusive.
type Gap struct {
	Kind   Kind      `json:"kind"`
	After  uint64    `json:"after"`
	Time   time.Time `json:"time"`
	Reason string    `json:"reason"`
}

// Header opens a recording: what a reader must know to judge it without the cluster.
type Header struct {
	// Version of the recording format.
	Version string `json:"version"`
	// Scenario is the text of the spec that was recorded.
	Scenario string `json:"scenario"`
	// Start is the wall-clock time of the recording's beginning.
	Start time.Time `json:"start"`
	// Namespaces and NodeSelector bound what was recorded.
	Namespaces   []string `json:"namespaces"`
	NodeSelector string   `json:"nodeSelector"`
	// Kinds that were watched. A judge that needs another finds the history inconclusive.
	Kinds []Kind `json:"kinds"`
	// RevisionLabel is the label by which the implementation tells revisions apart.
	RevisionLabel string `json:"revisionLabel"`
	// UpdatePolicy is how DaemonSets ask the implementation for updates in place. Default: DefaultUpdatePolicy.
	UpdatePolicy *UpdatePolicy `json:"updatePolicy,omitempty"`
	// Seed of every random choice of the run.
	Seed int64 `json:"seed"`
	// Features that the implementation claims. Nobody is held to what they do not claim.
	Features []string `json:"features,omitempty"`
	// Workload is what the implementation reconciles, and the recording shows as DaemonSets, for example "rollcall.dev/v1alpha1 Daemon". Empty:
	// DaemonSets of apps/v1. It decides, as Place does, which specs can run at all.
	Workload string `json:"workload,omitempty"`
	// Watched is what `rollcall watch` was asked to watch, for example "DaemonSet kube-system/cilium"; empty for a scenario. Nobody acted for the recording, and
	// who made its changes is inferred: see package passive. Series and Part are which of the recordings that follow each other it is, the first being 1.
	Watched []string `json:"watched,omitempty"`
	Series  string   `json:"series,omitempty"`
	Part    int      `json:"part,omitempty"`
	// Place is what the cluster has to offer.
	Place Place `json:"place"`
	// Earlier is the recording of the scenario before this one; nil if this is the first.
	Earlier *Earlier `json:"earlier,omitempty"`
}

// Earlier is a recording that a standstill kept from deciding anything, so that the scenario was played again.
type Earlier struct {
	// Recording is its path, relative to the folder of the run's report.
	Recording string `json:"recording"`
	// Reason why it could not decide.
	Reason string `json:"reason"`
}

// String says what became of it.
func (e Earlier) String() string { return e.Recording + " could not decide it: " + e.Reason }

// Place is what specs can have on a cluster.
type Place struct {
	// RealNodes is the number of nodes with a kubelet that specs share.
	RealNodes int `json:"realNodes,omitempty"`
	// OnlyRealNodes: nobody simulates further ones.
	OnlyRealNodes bool `json:"onlyRealNodes,omitempty"`
	// OnlyAPI: nobody reaches its etcd past the API server.
	OnlyAPI bool `json:"onlyAPI,omitempty"`
	// NeverAlone says why no spec can have the cluster and the implementation to itself; empty if it can.
	NeverAlone string `json:"neverAlone,omitempty"`
}

// Mark names a point in a scenario, for example the moment from which nothing more may happen. Scenario and checks share the value.
type Mark string

// The recording formats that this package reads and writes. In FormatVersion every line has a digest over itself and all before, and the last says that it is
// the last. Unchained is the same without either, as older versions of rollcall and golden recordings have it: what somebody changes there goes unnoticed.
const (
	FormatVersion = "rollcall.dev/recording/v1alpha3"
	Unchained     = "rollcall.dev/recording/v1alpha2"
)

// History is a recording, in order.
type History struct {
	Header
	// Entries are ordered by ResourceVersion; a stimulus or measurement comes after the event whose version it carries.
	Entries []Entry
	// Evidence holds Event objects in the order received. They are outside the order.
	Evidence []Entry
	// Bindings are the objects that the scenario chose, by the names that its checks know them by.
	Bindings map[string][]string
	// Gaps tells where events may be missing.
	Gaps []Gap
	// Standstills of the API server, in order.
	Standstills []Standstill
	// Delays are the stretches in which a request of the implementation had been without its answer for longer than OrdinaryAnswer, or a change that was made
	// longer than OrdinaryNews before had not been told to the harness, and so maybe to nobody; in order, and none touches another. They are known only with
	// Authors from an audit log.
	Delays []Standstill
	// Damage says where the recording that it was read from is not as it was written, for example "line 57 was changed", or that its end is missing; empty
	// if it is whole. The history is what comes before.
	Damage string
	// CaughtUp is set once the recorder proved that every event up to the recording's end is here. Without it (a killed run) a
	// history shows what happened, but not that nothing else did.
	CaughtUp bool
	// Authors says where the entries' authors come from; empty if they have none.
	Authors Authors
	// Refusals are what the implementation was refused, in order; known only with Authors from an audit log.
	Refusals []Refusal
	// Health of the implementation when the scenario ended; nil if that is not known.
	Health *Health
	// Idle are the writes that changed nothing, where the audit log tells of them.
	Idle []Authorship

	// authorships are what a recording says about authors, until it is read.
	authorships []Authorship
	// lines of the recording that it was read from, as far as they are whole, and their chain.
	lines int
	chain chain
	// unsealed: its only damage is that its end is missing.
	unsealed bool
}
