package simulation

import (
	"errors"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenPlanner is one that breaks promises, and the requirements that have to say so.
type brokenPlanner struct {
	name    string
	flavour flavour
	plan    planner
	named   []requirements.ID
}

func brokenPlanners() []brokenPlanner {
	surges, rolls := flavour{strategies: surging()}, flavour{strategies: rolling()}
	return []brokenPlanner{
		{"deletes first though it may surge", surges, doing(deletesFirst), ids("SURGE-006", "SURGE-008", "SURGE-016")},
		{"hands over before the updated pod is available", surges, doing(handsOverTooSoon), ids("SURGE-006")},
		{"surges on one node more", surges, seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State) {
			setLimits(spec, state, func(limit *intstr.IntOrString, n int) int { return scale(limit, n, true) + 1 })
		}), ids("SURGE-002")},
		{"takes one node more down", rolls, seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State) {
			setLimits(spec, state, func(limit *intstr.IntOrString, n int) int { return scale(limit, n, true) + 1 })
		}), ids("ROLLING-002")},
		{"takes percentages of all nodes instead of the eligible ones", rolls, seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State) {
			setLimits(spec, state, func(limit *intstr.IntOrString, _ int) int { return scale(limit, len(state.Nodes), true) })
		}), ids("ROLLING-002")},
		{"rounds maxSurge down", surges, seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State) {
			setLimits(spec, state, func(limit *intstr.IntOrString, n int) int { return scale(limit, n, false) })
		}), ids("SURGE-006")},
		{"takes Ready for available", surges, seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State) {
			spec.MinReadySeconds = 0
		}), ids("AVAIL-001", "SURGE-006")},
		{"does not look at the clock again", surges, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			actions.RequeueAfter = 0
		}), ids("AVAIL-005", "SURGE-007")},
		{"forgets what it wrote, surging", surges, seeing(func(state *plan.State, _ time.Time) {
			state.AwaitingOwnWrites = false
		}), ids("SURGE-010")},
		{"forgets what it wrote, rolling", rolls, seeing(func(state *plan.State, _ time.Time) {
			state.AwaitingOwnWrites = false
		}), ids("ROLLING-013", "ROLLING-002")},
		{"forgets which pods failed", surges, seeing(func(state *plan.State, _ time.Time) { state.Backoff = nil }), ids("SURGE-024")},
		{"forgets which pods failed, rolling", rolls, seeing(func(state *plan.State, _ time.Time) { state.Backoff = nil }), ids("TARGET-010")},
		{"does not see taints", rolls, seeing(func(state *plan.State, _ time.Time) {
			nodes := make([]*corev1.Node, 0, len(state.Nodes))
			for _, node := range state.Nodes {
				node = node.DeepCopy()
				node.Spec.Taints = nil
				nodes = append(nodes, node)
			}
			state.Nodes = nodes
		}), ids("TARGET-001")},
		{"takes every pod down at once", rolls, seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State) {
			setLimits(spec, state, func(_ *intstr.IntOrString, n int) int { return n })
		}), ids("ROLLING-002", "ROLLING-007", "ROLLING-009", "ROLLING-010")},
		{"creates two pods on a node, surging", surges, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			actions.CreatePods = slices.Concat(actions.CreatePods, actions.CreatePods)
		}), ids("SURGE-010")},
		{"creates two pods on a node, rolling", rolls, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			actions.CreatePods = slices.Concat(actions.CreatePods, actions.CreatePods)
		}), ids("ROLLING-013")},
		{"does not see old pods that are not ready", surges, seeing(func(state *plan.State, _ time.Time) {
			generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
			withoutPods(state, func(pod *corev1.Pod) bool {
				return pod.Labels[plan.GenerationLabel] != generation && !plan.IsReady(pod)
			})
		}), ids("SURGE-009")},
		{"does not wait for terminating pods though it may not surge", rolls, seeing(func(state *plan.State, _ time.Time) {
			withoutPods(state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
		}), ids("DRAIN-003")},
		{"keeps replaced pods", surges, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			withoutDeletions(actions, plan.ReasonReplaced)
		}), ids("SURGE-011", "SURGE-007", "AVAIL-002")},
		{"keeps pods on nodes that repel them", rolls, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			withoutDeletions(actions, plan.ReasonIneligible)
		}), ids("DRAIN-008", "TARGET-002")},
		{"deletes pods that are nobody's", rolls, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			for _, pod := range state.Pods {
				if len(pod.OwnerReferences) == 0 {
					actions.DeletePods = append(actions.DeletePods, plan.PodDeletion{Pod: pod, Reason: plan.ReasonDuplicate})
				}
			}
		}), ids("TARGET-003")},
		{"deletes history that pods still need", surges, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			actions.DeleteRevisions = slices.Clone(state.Revisions)
		}), ids("HISTORY-017")},
		{"leaves the number of a revision that it goes back to", rolls, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			actions.UpdateRevisions = nil
		}), ids("HISTORY-010")},
		{"does not see what was left behind", flavour{strategies: everyStrategy(), deletes: true}, seeing(func(state *plan.State, _ time.Time) {
			withoutPods(state, func(pod *corev1.Pod) bool { return len(pod.OwnerReferences) == 0 })
		}), ids("HISTORY-026")},
		{"keeps all history", rolls, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			actions.DeleteRevisions = nil
		}), ids("HISTORY-016")},
		{"reports more available than desired", rolls, reporting(func(status *appsv1.DaemonSetStatus) {
			status.NumberAvailable, status.NumberUnavailable = status.DesiredNumberScheduled+1, -1
		}), ids("STATUS-006")},
		{"reports that nothing is unavailable", rolls, reporting(func(status *appsv1.DaemonSetStatus) {
			status.NumberUnavailable = 0
		}), ids("STATUS-007")},
		{"reports fewer ready than available", rolls, reporting(func(status *appsv1.DaemonSetStatus) {
			status.NumberReady = max(status.NumberAvailable-1, 0)
		}), ids("STATUS-013")},
		{"reports a generation before it acted on it", surges, reporting(func(status *appsv1.DaemonSetStatus) {
			status.ObservedGeneration++
		}), ids("STATUS-010")},
		{"reports nodes as misscheduled", rolls, reporting(func(status *appsv1.DaemonSetStatus) {
			status.NumberMisscheduled++
		}), ids("STATUS-003")},
		{"leaves empty nodes empty, surging", surges, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			withoutCreations(actions, func(creation plan.PodCreation) bool { return len(on(state, creation.Node)) == 0 && someRun(state) })
		}), ids("SURGE-012")},
		{"leaves empty nodes empty, rolling", rolls, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			withoutCreations(actions, func(creation plan.PodCreation) bool { return len(on(state, creation.Node)) == 0 && someRun(state) })
		}), ids("ROLLING-001", "TARGET-002")},
		{"never surges", surges, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			withoutCreations(actions, func(creation plan.PodCreation) bool { return len(its(state, creation.Node)) > 0 })
		}), ids("SURGE-001", "SURGE-011", "UNREADY-001")},
		{"waits for terminating pods though it may surge", surges, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			withoutCreations(actions, func(creation plan.PodCreation) bool {
				return len(its(state, creation.Node)) == 0 && len(on(state, creation.Node)) > 0
			})
		}), ids("UNREADY-002", "UNREADY-003")},
		{"never takes a pod down", rolls, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			withoutDeletions(actions, plan.ReasonOutdated)
		}), ids("ROLLING-001")},
		{"creates pods without a label", surges, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			for i, creation := range actions.CreatePods {
				actions.CreatePods[i].Pod = creation.Pod.DeepCopy()
				delete(actions.CreatePods[i].Pod.Labels, plan.HashLabel)
			}
		}), ids("API-020")},
		{"never writes the status", rolls, doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
			actions.Status = nil
		}), ids("STATUS-001", "STATUS-002", "STATUS-004", "STATUS-005", "STATUS-008", "STATUS-010", "STATUS-014")},
		{"never comes to rest", rolls, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			actions.Status = state.DaemonSet.Status.DeepCopy()
			actions.Status.NumberMisscheduled++
		}), ids("SURGE-025")},
	}
}

func ids(all ...requirements.ID) []requirements.ID { return all }

// mostSimulations is within how many a broken planner has to be caught.
const mostSimulations = 60

// TestBrokenPlannersAreCaught proves that the simulation can fail: each planner that breaks a promise is found out, by the name of that promise.
func TestBrokenPlannersAreCaught(t *testing.T) {
	for _, broken := range brokenPlanners() {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			drawn := rapid.Custom(func(t *rapid.T) simulation {
				return simulation{drawSetup(t, broken.flavour), drawSchedule(t, broken.flavour)}
			})
			missing, found, steps := slices.Clone(broken.named), map[requirements.ID]int{}, 0
			for i := range mostSimulations {
				s := drawn.Example(i)
				w := newWorld(s.setup, broken.plan)
				objections, _ := w.judged(s.schedule, broken.flavour)
				for _, objection := range objections {
					var promise brokenPromise
					if !errors.As(objection, &promise) {
						t.Fatalf("not a broken promise: %v", objection)
					}
					found[promise.requirement]++
					missing = slices.DeleteFunc(missing, func(id requirements.ID) bool { return id == promise.requirement })
				}
				steps += w.steps()
				if len(missing) == 0 {
					t.Logf("caught after %d simulations, %d steps: %v", i+1, steps, found)
					return
				}
			}
			t.Errorf("%d simulations, %d steps, did not find that it breaks %v; they named %v", mostSimulations, steps, missing, found)
		})
	}
}

// unbroken are the rules that no broken planner breaks, and why.
func unbroken() map[requirements.ID]string {
	const story, rare = "its stories alone show that it fails", "the simulation gets there too rarely"
	return map[requirements.ID]string{
		"AVAIL-006": "no simulated kubelet forgets a transition time", "DRAIN-006": "nothing is evicted from a cordoned node",
		"DRAIN-002": rare, "SURGE-013": rare, "SURGE-018": rare, "STATUS-009": story, "TARGET-004": story, "UNREADY-006": story,
	}
}

// TestEveryRuleCatchesABrokenPlanner keeps the table complete: a rule that objects to none of them might object to nothing.
func TestEveryRuleCatchesABrokenPlanner(t *testing.T) {
	for _, rule := range rules.All() {
		catches := func(broken brokenPlanner) bool { return slices.Contains(broken.named, rule.Requirement) }
		switch caught := slices.ContainsFunc(brokenPlanners(), catches); {
		case !caught && unbroken()[rule.Requirement] == "":
			t.Errorf("%s (%s): no broken planner breaks it", rule.Requirement, rule.Promise)
		case caught && unbroken()[rule.Requirement] != "":
			t.Errorf("%s: a broken planner breaks it: take it off the list", rule.Requirement)
		}
	}
}
