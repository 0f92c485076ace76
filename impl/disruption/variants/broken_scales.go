package variants

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenScales expect another number of pods.
func brokenScales() []Variant {
	return []Variant{
		{Name: "expects-a-scale-for-every-pod", Says: "Counts the scale of a controller once for each of its pods.", Breaks: []string{"PDB-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				pods := map[types.UID]int32{}
				for _, pod := range selected(*state) {
					if controller := metav1.GetControllerOfNoCopy(pod); controller != nil {
						pods[controller.UID]++
					}
				}
				changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
					c.Replicas *= pods[reference]
					return c
				})
			})},
		{Name: "expects-no-scale-without-a-live-pod", Says: "Leaves out the scale of a controller of whose pods all terminate or have ended.", Breaks: []string{"PDB-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				alive := map[types.UID]bool{}
				for _, pod := range selected(*state) {
					ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
					if controller := metav1.GetControllerOfNoCopy(pod); controller != nil && pod.DeletionTimestamp == nil && !ended {
						alive[controller.UID] = true
					}
				}
				changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
					if !alive[reference] {
						c.Replicas = 0
					}
					return c
				})
			})},
		{Name: "counts-deployments-by-replica-sets", Says: "Counts the scale of a Deployment once for each of its ReplicaSets that has pods.", Breaks: []string{"PDB-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
					c.UID = reference
					return c
				})
			})},
		{Name: "takes-the-first-owner-for-what-scales", Says: "Takes the first owner of a pod for its controller.", Breaks: []string{"PDB-008"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return len(pod.OwnerReferences) > 1 }, func(pod *corev1.Pod) {
					pod.OwnerReferences = pod.OwnerReferences[:1]
					pod.OwnerReferences[0].Controller = ptr.To(true)
				})
			})},
		{Name: "reads-no-custom-scale", Says: "Takes a custom resource for one without a scale.", Breaks: []string{"PDB-008"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changeControllers(state, func(_ types.UID, c plan.Controller) plan.Controller {
					if c.Polled {
						return plan.Controller{UID: c.UID, Err: errors.New("it is no built-in workload")}
					}
					return c
				})
			})},
		{Name: "reads-a-custom-scale-once-a-minute", Says: "Takes the scale of a custom resource to be what it was when it was last read, for a minute.",
			Breaks: []string{"PDB-008", "PDB-026"}, Planner: remember(readOnceAMinute)},
		{Name: "leaves-out-what-has-no-scale", Says: "Leaves pods whose controller has no scale out, and computes for the rest, as the test plan of the document has it.",
			Breaks: []string{"PDB-020", "CROSS-002"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				withoutPods(state, func(pod *corev1.Pod) bool {
					controller := metav1.GetControllerOfNoCopy(pod)
					return controller != nil && plan.NeedsScale(state.Budget) && state.Controllers[controller.UID].Err != nil
				})
			})},
		{Name: "counts-bare-pods-as-healthy-only", Says: "Counts pods without a controller as healthy but not as expected, as Kubernetes does.",
			Breaks: []string{"PDB-022", "PDB-023"},
			Planner: func(next plan.Planner) plan.Planner {
				return counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
					if !plan.NeedsScale(state.Budget) {
						return
					}
					for _, pod := range selected(state) {
						if _, listed := status.DisruptedPods[pod.Name]; unmanaged(pod) && !listed && plan.IsHealthy(pod) {
							status.CurrentHealthy++
						}
					}
				})(withoutBarePods(next))
			}},
		{Name: "leaves-bare-pods-out", Says: "Leaves pods without a controller out of a budget that needs a scale.", Breaks: []string{"PDB-022"}, Planner: withoutBarePods},
	}
}

// scaleRead is a number of replicas, and when it was read.
type scaleRead struct {
	replicas int32
	at       time.Time
}

func readOnceAMinute(m *memory[map[types.UID]scaleRead]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		known := m.of(*state)
		if *known == nil {
			*known = map[types.UID]scaleRead{}
		}
		changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
			if !c.Polled {
				return c
			}
			if last, read := (*known)[reference]; !read || now.Sub(last.at) >= plan.ScaleRecheck {
				(*known)[reference] = scaleRead{c.Replicas, now}
			}
			c.Replicas = (*known)[reference].replicas
			return c
		})
	})
}

// withoutBarePods shows the planner no pods without a controller where a scale is needed.
func withoutBarePods(next plan.Planner) plan.Planner {
	return seeing(func(state *plan.State, _ time.Time) {
		if plan.NeedsScale(state.Budget) {
			withoutPods(state, unmanaged)
		}
	})(next)
}
