package plan

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// status counts nodes, not pods, and takes the API's "one or more" at its word: during a surge, a node counts as ready
// because of either pod, and as updated because of the new one (STATUS-001 to STATUS-009). Pods on their way out are
// neither ready nor updated, but still occupy their node; pods that ended are not there at all.
func (p *pass) status(views []*nodeView, collisions *int32) appsv1.DaemonSetStatus {
	status := *p.ds.Status.DeepCopy()
	status.CollisionCount = collisions
	status.DesiredNumberScheduled = 0
	status.CurrentNumberScheduled = 0
	status.NumberMisscheduled = 0
	status.NumberReady = 0
	status.NumberAvailable = 0
	status.UpdatedNumberScheduled = 0
	for _, view := range views {
		if !view.eligible {
			if view.occupied() {
				status.NumberMisscheduled++
			}
			continue
		}
		status.DesiredNumberScheduled++
		if view.occupied() {
			status.CurrentNumberScheduled++
		}
		running := slices.Concat(view.olds, view.news)
		if slices.ContainsFunc(running, IsReady) {
			status.NumberReady++
		}
		if slices.ContainsFunc(running, func(pod *corev1.Pod) bool { return p.available(pod) }) {
			status.NumberAvailable++
		}
		if len(view.news) > 0 {
			status.UpdatedNumberScheduled++
		}
	}
	status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
	return status
}

// changed returns status if it has to be written.
func (p *pass) changed(status appsv1.DaemonSetStatus) *appsv1.DaemonSetStatus {
	if apiequality.Semantic.DeepEqual(status, p.ds.Status) {
		return nil
	}
	return &status
}

func rolloutInProgress(views []*nodeView) bool {
	return slices.ContainsFunc(views, func(view *nodeView) bool {
		return view.eligible && (len(view.olds) > 0 || len(view.news) == 0)
	})
}
