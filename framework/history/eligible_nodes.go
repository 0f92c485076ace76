package history

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
)

// Eligibility returns what a recorded DaemonSet wants of a recorded node: see EligibilityOf. It is the zero value if either is not there.
func (c *Cluster) Eligibility(daemonSet types.UID, node string) Eligibility {
	return c.eligibility[daemonSet][node]
}

// Desired returns how many recorded nodes should run the DaemonSet's pod (STATUS-001).
func (c *Cluster) Desired(daemonSet types.UID) int { return c.desired[daemonSet] }

// EligibleNodes returns the names of the nodes that should run the DaemonSet's pod, sorted.
func (c *Cluster) EligibleNodes(daemonSet *appsv1.DaemonSet) []string {
	var names []string
	for name, node := range c.Nodes {
		eligibility, judged := c.eligibility[daemonSet.UID][name]
		if !judged {
			eligibility = EligibilityOf(daemonSet, node)
		}
		if eligibility.ShouldRun {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// judgeAllNodes is for a DaemonSet whose template is new.
func (c *Cluster) judgeAllNodes(daemonSet *appsv1.DaemonSet) {
	c.forgetEligibility(daemonSet.UID)
	c.eligibility[daemonSet.UID] = make(map[string]Eligibility, len(c.Nodes))
	for _, node := range c.Nodes {
		c.setEligibility(daemonSet.UID, node.Name, EligibilityOf(daemonSet, node))
	}
}

// SameToEligibility reports whether nothing about a node has changed that a DaemonSet's eligibility depends on. One that was not there before, nil, has changed.
func SameToEligibility(before, now *corev1.Node) bool {
	return before != nil && equality.Semantic.DeepEqual(before.Labels, now.Labels) && equality.Semantic.DeepEqual(before.Spec.Taints, now.Spec.Taints)
}

// judgeNode is for a node that came, went or changed. Heartbeats, by far the most frequent, change nothing.
func (c *Cluster) judgeNode(before, node *corev1.Node, gone bool) {
	if !gone && SameToEligibility(before, node) {
		return
	}
	for uid, daemonSet := range c.DaemonSets {
		if gone {
			c.setEligibility(uid, node.Name, Eligibility{})
			delete(c.eligibility[uid], node.Name)
			continue
		}
		c.setEligibility(uid, node.Name, EligibilityOf(daemonSet, node))
	}
}

func (c *Cluster) setEligibility(daemonSet types.UID, node string, eligibility Eligibility) {
	if c.eligibility[daemonSet] == nil {
		c.eligibility[daemonSet] = map[string]Eligibility{}
	}
	if c.eligibility[daemonSet][node].ShouldRun {
		c.desired[daemonSet]--
	}
	if eligibility.ShouldRun {
		c.desired[daemonSet]++
	}
	c.eligibility[daemonSet][node] = eligibility
}

func (c *Cluster) forgetEligibility(daemonSet types.UID) {
	delete(c.eligibility, daemonSet)
	delete(c.desired, daemonSet)
}
