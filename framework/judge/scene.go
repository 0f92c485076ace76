package judge

import (
	"iter"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Scene is what an observer sees: one step of the replay, and what all rules remember of the steps before.
type Scene struct {
	// Cluster as the step left it.
	Cluster *history.Cluster
	// Change is the step.
	Change history.Change
	// Now is the time of the step: see history.Cluster.
	Now time.Time
	// Created is set when the implementation created a pod in this step.
	Created *Creation
	// Removed is set when a daemon pod began to terminate, or vanished without, in this step.
	Removed *Removal
	// Patched is set when containers of a daemon pod that is not being deleted got other images in this step.
	Patched *Patch
	// Lost is set when the last available pod of a node stopped being available in this step, through nobody's deletion or patch.
	Lost *Node
	// Rolled is set when a DaemonSet got another template in this step.
	Rolled *Workload
	// Status is set when the implementation wrote a DaemonSet's status in this step.
	Status *StatusWrite

	memory  *memory
	step    moment
	touched []touch
	// written is the DaemonSet that changed in this step, be it only its status.
	written *Workload
}

// touch is a node on which something may have changed for a DaemonSet; without node, all of them.
type touch struct {
	workload *Workload
	node     *Node
}

// Creation is a pod that the implementation created.
type Creation struct {
	Pod *Pod
	// Sent is the pod as the implementation sent it, by the audit log: another one than was stored where admission changed a part of it. Nil where nobody knows.
	Sent *corev1.Pod
	// Beside are the live pods of the DaemonSet that were on the node already.
	Beside []*Pod
}

// Removal is a pod that somebody deleted.
type Removal struct {
	Pod *Pod
	// Voluntary: nothing but the implementation can have done it.
	Voluntary bool
	// Steady: it was available, and had been for so long that the implementation must have known.
	Steady bool
	// Alone: no other pod of the DaemonSet on the node was available, nor had been until somebody else changed that less than Lag ago.
	Alone bool
	// Wanted: the node was eligible, and had been for Lag.
	Wanted bool
}

// RemovesLastAvailable reports whether the implementation took an eligible node's only available pod from it.
func (r *Removal) RemovesLastAvailable() bool {
	return r != nil && r.Voluntary && r.Steady && r.Alone && r.Wanted
}

// Patch is a pod whose containers somebody gave other images.
type Patch struct {
	Pod *Pod
	// Before is the pod before.
	Before *corev1.Pod
	// Settled: what it was before, but for its images, it had been for Lag.
	Settled bool
	// Voluntary, Steady, Alone and Wanted: see Removal.
	Voluntary, Steady, Alone, Wanted bool
}

// RestartsLastAvailable reports whether the implementation made an eligible node's only available pod restart.
func (p *Patch) RestartsLastAvailable() bool {
	return p != nil && p.Voluntary && p.Steady && p.Alone && p.Wanted
}

// StatusWrite is a change of a DaemonSet's status by the implementation.
type StatusWrite struct {
	Workload      *Workload
	Before, After *appsv1.DaemonSet
}

// Workloads returns the recorded DaemonSets that exist, by UID.
func (s *Scene) Workloads() map[types.UID]*Workload { return s.memory.workloads }

// Pod returns the daemon pod with the UID; nil if there is none.
func (s *Scene) Pod(uid types.UID) *Pod { return s.memory.pods[uid] }

// Start is when the recording began.
func (s *Scene) Start() time.Time { return s.memory.h.Start }

// TouchedNodes yields the DaemonSets and their nodes for which something may have changed in this step. A change of a DaemonSet's spec touches all
// of its nodes; a write of its status and a node's heartbeat touch none.
func (s *Scene) TouchedNodes() iter.Seq2[*Workload, *Node] {
	return func(yield func(*Workload, *Node) bool) {
		for _, touched := range s.touched {
			if touched.node != nil {
				if !yield(touched.workload, touched.node) {
					return
				}
				continue
			}
			for _, node := range touched.workload.Nodes {
				if !yield(touched.workload, node) {
					return
				}
			}
		}
	}
}

// touchedWorkloads returns the DaemonSets for which something may have changed in this step, their statuses included.
func (s *Scene) touchedWorkloads() []*Workload {
	var workloads []*Workload
	if s.written != nil {
		workloads = append(workloads, s.written)
	}
	for _, touched := range s.touched {
		if !slices.Contains(workloads, touched.workload) {
			workloads = append(workloads, touched.workload)
		}
	}
	if revision, is := s.Change.Object.(*appsv1.ControllerRevision); is {
		// Whoever is to adopt it is touched, too.
		for _, uid := range slices.Sorted(maps.Keys(s.memory.workloads)) {
			if w := s.memory.workloads[uid]; w.Object.Namespace == revision.Namespace && !slices.Contains(workloads, w) {
				workloads = append(workloads, w)
			}
		}
	}
	return workloads
}

// WorkingSince is when the implementation was last put to work by the harness, or had recovered from a standstill of the API server; zero if it has been
// at work since before the recording.
func (s *Scene) WorkingSince() time.Time {
	return latest(s.memory.control.workingSince, s.memory.h.RecoveredBy(s.Now))
}

// Allowed is when the time d has passed since an instant, in which the API server answered, and the implementation was not waiting for a processor, throughout,
// without the delays of its requests: see history.History.Allowed.
func (s *Scene) Allowed(since time.Time, d time.Duration) time.Time {
	return s.memory.h.Allowed(since, d)
}

// Answered is Allowed, whatever the implementation had to wait for: see history.History.Answered.
func (s *Scene) Answered(since time.Time, d time.Duration) time.Time {
	return s.memory.h.Answered(since, d)
}

// Waiting is when the implementation waited for a processor between the instants, or for answers; nil if it did not: see history.History.Waiting.
func (s *Scene) Waiting(from, to time.Time) *history.Standstill { return s.memory.h.Waiting(from, to) }

// Interrupted reports whether the harness keeps the implementation from its work now, or is just starting it: nothing is due.
func (s *Scene) Interrupted() bool { return s.memory.control.interrupted() }

// DeletedByImplementation reports whether this step, which deletes the object, is the implementation's act. A pod's deletion may be somebody else's in
// more ways than another object's.
func (s *Scene) DeletedByImplementation(before history.Object) bool {
	if pod, ok := before.(*corev1.Pod); ok {
		return s.memory.blame.deletes(pod, s.Change, s.Cluster, s.Now)
	}
	return byImplementation(s.Change.Entry, func() bool { return !s.memory.blame.harnessDeletes(s.Change.Kind, before, "") })
}

// CreatedByImplementation reports whether this step, which creates the pod, is the implementation's act, be its DaemonSet being deleted or not.
func (s *Scene) CreatedByImplementation(pod *corev1.Pod) bool {
	return s.memory.blame.creates(s.Change.Entry, pod)
}

// ChangedByImplementation reports whether this step, which changes the pod, is the implementation's act: where no author is known, nobody else is, once the
// harness acted on the pod.
func (s *Scene) ChangedByImplementation(pod *corev1.Pod) bool {
	return byImplementation(s.Change.Entry, func() bool { return !s.HarnessTouched(pod, time.Duration(1<<62)) })
}

// ByImplementation reports whether this step is the act of the implementation, or of nobody known.
func (s *Scene) ByImplementation() bool {
	return byImplementation(s.Change.Entry, func() bool { return true })
}

// HarnessTouched reports whether the harness acted on the pod, other than to create it, within the time.
func (s *Scene) HarnessTouched(pod *corev1.Pod, within time.Duration) bool {
	named := string(history.KindPod) + "/" + pod.Namespace + "/" + pod.Name
	for _, entries := range [][]history.Entry{s.Cluster.StimuliOn(pod.UID), s.Cluster.Stimuli[named]} {
		for _, entry := range entries {
			if !entry.Stimulus.Act.Creates() && s.Now.Sub(entry.Time) < within {
				return true
			}
		}
	}
	return false
}
