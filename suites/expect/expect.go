// Package expect has the expectations that specs of several families share.
package expect

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
)

// RolledOut asks that at the end every eligible node has exactly one pod of each DaemonSet, which is updated and available.
func RolledOut() matchers.Matcher {
	return matchers.HoldsAtEnd("every eligible node has exactly one pod, updated and available", func(cluster *history.Cluster) error {
		for _, daemonSet := range cluster.DaemonSets {
			for _, node := range cluster.EligibleNodes(daemonSet) {
				pods := cluster.PodsOn(daemonSet.UID, node)
				if len(pods) != 1 {
					return fmt.Errorf("node %s has %d pods of DaemonSet %s", node, len(pods), daemonSet.Name)
				}
				if !cluster.IsUpdated(pods[0]) || !history.IsAvailable(pods[0], daemonSet.Spec.MinReadySeconds, cluster.Time) {
					return fmt.Errorf("pod %s on node %s is not updated and available", pods[0].Name, node)
				}
			}
		}
		return nil
	})
}
