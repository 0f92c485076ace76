package kwok

import corev1 "k8s.io/api/core/v1"

// Nodes tells the nodes that a KWOK simulates from all others. The zero value is for a cluster that is rollcall's own.
type Nodes struct {
	// Foreign: the cluster is somebody else's, who may run a KWOK, and whose pods must not come to these nodes.
	Foreign bool `json:"foreign,omitempty"`
}

// ForeignLabel is the label, with NodeLabelValue, and the taint of simulated nodes in a cluster of somebody else's.
const ForeignLabel = "rollcall.dev/simulated-node"

// Label is the label, with NodeLabelValue, of the nodes.
func (n Nodes) Label() string {
	if n.Foreign {
		return ForeignLabel
	}
	return NodeLabel
}

// Taints keep away from the nodes whoever does not tolerate them: see Tolerations.
func (n Nodes) Taints() []corev1.Taint {
	if !n.Foreign {
		return nil
	}
	return []corev1.Taint{{Key: ForeignLabel, Value: NodeLabelValue, Effect: corev1.TaintEffectNoSchedule}}
}

// Tolerations are what pods for the nodes need.
func (n Nodes) Tolerations() []corev1.Toleration {
	var all []corev1.Toleration
	for _, taint := range n.Taints() {
		all = append(all, corev1.Toleration{Key: taint.Key, Operator: corev1.TolerationOpExists, Effect: taint.Effect})
	}
	return all
}
