package variants

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// reportOldest takes the numbers of each node from its oldest pod.
func reportOldest(status *appsv1.DaemonSetStatus, state plan.State, now time.Time) {
	status.NumberReady, status.NumberAvailable, status.UpdatedNumberScheduled = 0, 0, 0
	for _, n := range nodes(state) {
		var oldest *corev1.Pod
		for _, pod := range state.Pods {
			if plan.TargetNode(pod) == n.name && metav1.IsControlledBy(pod, state.DaemonSet) &&
				(oldest == nil || pod.CreationTimestamp.Before(&oldest.CreationTimestamp)) {
				oldest = pod
			}
		}
		if oldest == nil || !n.eligible {
			continue
		}
		status.NumberReady += count(plan.IsReady(oldest))
		status.NumberAvailable += count(plan.IsAvailable(oldest, state.DaemonSet.Spec.MinReadySeconds, now))
		status.UpdatedNumberScheduled += count(slices.ContainsFunc(n.news, func(pod *corev1.Pod) bool { return pod.UID == oldest.UID }))
	}
	status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
}

func count(is bool) int32 {
	if is {
		return 1
	}
	return 0
}

// withholdStatus writes no status between a pod that the API server refused and the next that it accepted.
func withholdStatus(c client.Client) client.Client { return &withholding{Client: c} }

type withholding struct {
	client.Client
	refused atomic.Bool
}

// Create implements client.Client.
func (c *withholding) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	err := c.Client.Create(ctx, object, options...)
	if _, isPod := object.(*corev1.Pod); isPod {
		c.refused.Store(err != nil)
	}
	return err
}

// Status implements client.Client.
func (c *withholding) Status() client.SubResourceWriter {
	return withheld{c.Client.Status(), &c.refused}
}

type withheld struct {
	client.SubResourceWriter
	refused *atomic.Bool
}

// Update implements client.SubResourceWriter.
func (w withheld) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	if w.refused.Load() {
		return errors.New("withheld")
	}
	return w.SubResourceWriter.Update(ctx, object, options...)
}
