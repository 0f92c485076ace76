package rollouts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// FillDisk makes a node report that its disk is full, and waits until Kubernetes has tainted it for that. Pods of DaemonSets tolerate the taint. It takes a simulated
// node: a kubelet would put the report right.
func FillDisk(ctx context.Context, c *spec.Case, node string) {
	err := c.Do(ctx, history.Stimulus{Act: history.TaintNode, Kind: history.KindNode, Name: node, Node: node, Detail: "its disk is full"}, func(ctx context.Context) error {
		now := metav1.NewTime(time.Now())
		body, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{{
			Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue, Reason: "KubeletHasDiskPressure", LastHeartbeatTime: now, LastTransitionTime: now,
		}}}})
		if err != nil {
			return err
		}
		_, err = c.Client().CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
		return err
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: report that the disk of node %s is full: %v", node, err))
	}
	c.Require(ctx, "the node is tainted for it", state.When("node "+node+" has the taint "+corev1.TaintNodeDiskPressure, func(cluster *history.Cluster) bool {
		now := cluster.Nodes[node]
		return now != nil && slices.ContainsFunc(now.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == corev1.TaintNodeDiskPressure })
	}))
}
