package variants

import (
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenAvailabilities take pods for available that are not, or the other way round.
func brokenAvailabilities() []Variant {
	isReady := func(pod *corev1.Pod) bool { return plan.IsReady(pod) }
	return []Variant{
		{Name: "takes-ready-for-available", Says: "Takes a Ready pod for available, however short it has been Ready.",
			Breaks:  []string{"AVAIL-001", "SURGE-006", "ROLLING-005"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) { spec.MinReadySeconds = 0 })},
		{Name: "available-a-second-early", Says: "Takes a pod for available a second before minReadySeconds have passed.",
			Breaks: []string{"AVAIL-003"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions { return next(state, now.Add(time.Second)) }
			}},
		{Name: "zero-transition-time-is-long-ago", Says: "Takes a Ready pod without a transition time for one that has always been Ready.",
			Breaks: []string{"AVAIL-006"},
			Planner: seeing(func(state *plan.State, now time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return plan.IsReady(pod) && ready(pod).LastTransitionTime.IsZero() }, func(pod *corev1.Pod) {
					setReady(pod, now.Add(-time.Hour))
				})
			})},
		{Name: "clock-runs-through-unreadiness", Says: "Counts minReadySeconds from the creation of a Ready pod, however often it was not Ready since.",
			Breaks: []string{"AVAIL-004"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, isReady, func(pod *corev1.Pod) { setReady(pod, pod.CreationTimestamp.Time) })
			})},
		{Name: "waits-without-min-ready-seconds", Says: "Waits ten seconds where minReadySeconds is 0.",
			Breaks: []string{"AVAIL-002"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				if spec.MinReadySeconds == 0 {
					spec.MinReadySeconds = 10
				}
			})},
		{Name: "takes-running-for-ready-without-min-ready-seconds", Says: "Takes a pod that runs for available where minReadySeconds is 0.",
			Breaks: []string{"AVAIL-001", "SURGE-006"},
			Planner: deciding(func(state *plan.State, now time.Time) {
				unclocked := state.DaemonSet.Spec.MinReadySeconds == 0
				changePods(state, func(pod *corev1.Pod) bool { return unclocked && pod.Status.Phase == corev1.PodRunning }, func(pod *corev1.Pod) {
					setReady(pod, now)
				})
			})},
		{Name: "takes-unknown-for-ready", Says: "Takes a pod whose Ready condition is Unknown for one that is Ready.",
			Breaks: []string{"AVAIL-001", "UNREADY-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				unknown := func(pod *corev1.Pod) bool { return ready(pod) != nil && ready(pod).Status == corev1.ConditionUnknown }
				changePods(state, unknown, func(pod *corev1.Pod) { ready(pod).Status = corev1.ConditionTrue })
			})},
		{Name: "takes-disrupted-for-unready", Says: "Takes a pod for one that is not Ready of which somebody says that it is about to be disrupted.",
			Breaks: []string{"SURGE-002", "ROLLING-002"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool {
					disrupted := condition(pod, corev1.DisruptionTarget)
					return disrupted != nil && disrupted.Status == corev1.ConditionTrue && ready(pod) != nil
				}, func(pod *corev1.Pod) { ready(pod).Status = corev1.ConditionFalse })
			})},
		{Name: "once-available-always-available", Says: "Takes a pod for available that was so once, whatever became of it.",
			Breaks: []string{"AVAIL-001", "UNREADY-001"}, Planner: remember(func(m *memory[latched]) Around { return latchAvailable(m, every) })},
		{Name: "available-again-when-ready-again", Says: "Takes a pod for available that was so once, whenever it is Ready.",
			Breaks: []string{"AVAIL-004"}, Planner: remember(func(m *memory[latched]) Around { return latchAvailable(m, isReady) })},
		{Name: "min-ready-seconds-of-the-containers", Says: "Counts the minReadySeconds of a Ready pod from when its containers became ready.",
			Breaks: []string{"AVAIL-001", "SURGE-006"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return isReady(pod) && condition(pod, corev1.ContainersReady) != nil }, func(pod *corev1.Pod) {
					setReady(pod, condition(pod, corev1.ContainersReady).LastTransitionTime.Time)
				})
			})},
		{Name: "min-ready-seconds-fixed-at-creation", Says: "Measures a pod by the minReadySeconds that were in force when it was created.",
			Breaks: []string{"AVAIL-007"}, Planner: both(seeing(readMinReady), doing(writeMinReady))},
		{Name: "raised-min-ready-seconds-come-too-late", Says: "Does not notice during a rollout that minReadySeconds were raised.",
			Breaks: []string{"AVAIL-007"},
			Planner: remember(func(m *memory[rolloutMinReady]) Around {
				return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
					lowest := m.of(state)
					generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
					if lowest.generation != generation {
						*lowest = rolloutMinReady{generation: generation, seconds: spec.MinReadySeconds}
					}
					lowest.seconds = min(lowest.seconds, spec.MinReadySeconds)
					spec.MinReadySeconds = lowest.seconds
				})
			})},
		{Name: "raised-min-ready-seconds-leave-the-budget", Says: "Counts a pod as available for maxUnavailable that was so before minReadySeconds were raised.",
			Breaks: []string{"AVAIL-007"}, Planner: remember(countFormerlyAvailable)},
	}
}

type rolloutMinReady struct {
	generation string
	seconds    int32
}

// latched are the pods that have been available.
type latched struct{ pods map[string]bool }

// latchAvailable takes those of the pods for available that were so once, and that which selects.
func latchAvailable(m *memory[latched], which func(*corev1.Pod) bool) Around {
	return deciding(func(state *plan.State, now time.Time) {
		l := m.of(*state)
		if l.pods == nil {
			l.pods = map[string]bool{}
		}
		for _, pod := range state.Pods {
			if plan.IsAvailable(pod, state.DaemonSet.Spec.MinReadySeconds, now) {
				l.pods[string(pod.UID)] = true
			}
		}
		changePods(state, func(pod *corev1.Pod) bool { return l.pods[string(pod.UID)] && which(pod) }, func(pod *corev1.Pod) { setReady(pod, now.Add(-time.Hour)) })
	})
}

// minReadyAnnotation carries the minReadySeconds of a pod's creation.
const minReadyAnnotation = "min-ready-seconds"

func writeMinReady(actions *plan.Actions, state plan.State, _ time.Time) {
	for _, creation := range actions.CreatePods {
		metav1.SetMetaDataAnnotation(&creation.Pod.ObjectMeta, minReadyAnnotation, strconv.Itoa(int(state.DaemonSet.Spec.MinReadySeconds)))
	}
}

// readMinReady has one number for all pods, and moves the times since when they have been Ready by what that is too long.
func readMinReady(state *plan.State, _ time.Time) {
	own := func(pod *corev1.Pod) int32 {
		seconds, err := strconv.Atoi(pod.Annotations[minReadyAnnotation])
		if err != nil {
			// Somebody else's pod.
			return 0
		}
		return int32(seconds)
	}
	longest := int32(1)
	for _, pod := range state.Pods {
		longest = max(longest, own(pod))
	}
	ds := state.DaemonSet.DeepCopy()
	ds.Spec.MinReadySeconds = longest
	state.DaemonSet = ds
	dated := func(pod *corev1.Pod) bool { return plan.IsReady(pod) && !ready(pod).LastTransitionTime.IsZero() }
	changePods(state, dated, func(pod *corev1.Pod) {
		setReady(pod, ready(pod).LastTransitionTime.Add(time.Duration(own(pod)-longest)*time.Second))
	})
}

// formerlyAvailable says of pods since when they were Ready when they were available.
type formerlyAvailable map[types.UID]metav1.Time

func countFormerlyAvailable(m *memory[formerlyAvailable]) Around {
	return both(
		seeing(func(state *plan.State, now time.Time) {
			seen := m.of(*state)
			if *seen == nil {
				*seen = formerlyAvailable{}
			}
			for _, pod := range state.Pods {
				if plan.IsAvailable(pod, state.DaemonSet.Spec.MinReadySeconds, now) {
					(*seen)[pod.UID] = ready(pod).LastTransitionTime
				}
			}
		}),
		lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
			return n.unavailable(state, now) && slices.ContainsFunc(n.news, func(pod *corev1.Pod) bool {
				since, was := (*m.of(state))[pod.UID]
				return was && plan.IsReady(pod) && ready(pod).LastTransitionTime.Equal(&since)
			})
		}))
}
