package judge

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Scene is what an observer sees: one step of the replay, and what all judges remember of the steps before.
type Scene struct {
	// Cluster as the step left it.
	Cluster *history.Cluster
	// Change is the step.
	Change history.Change
	// Now is the time of the step: see history.Cluster.
	Now time.Time

	memory *memory
	index  int
	// created is set when the implementation created a pod in this step.
	created *creation
	// removed is set when a daemon pod began to terminate, or vanished without, in this step.
	removed *removal
	// lost is set when the last available pod of a node stopped being available in this step, through nobody's deletion.
	lost *nodeState
	// rolled is set when a DaemonSet got another template in this step.
	rolled *workload
	// status is set when the implementation wrote a DaemonSet's status in this step.
	status *statusWrite
}

// creation is a pod that the implementation created.
type creation struct {
	pod *podState
	// beside are the live pods of the DaemonSet that were on the node already.
	beside []*podState
}

// removal is a pod that somebody deleted.
type removal struct {
	pod *podState
	// voluntary: nothing but the implementation can have done it.
	voluntary bool
	// steady: it was available, and had been for so long that the implementation must have known.
	steady bool
	// alone: no other pod of the DaemonSet on the node was available, nor had been until somebody else changed that less than Lag ago.
	alone bool
	// wanted: the node was eligible, and had been for Lag.
	wanted bool
}

// sacrifices tells whether the implementation took an eligible node's only available pod from it.
func (r *removal) sacrifices() bool {
	return r != nil && r.voluntary && r.steady && r.alone && r.wanted
}

// statusWrite is a change of a DaemonSet's status.
type statusWrite struct {
	workload      *workload
	before, after *appsv1.DaemonSet
}
