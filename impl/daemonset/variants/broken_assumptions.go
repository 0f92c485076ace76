package variants

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenAssumptions take for granted what holds in the plain case: that there is one of a kind, that a node had a pod before, that a name is nobody else's.
func brokenAssumptions() []Variant {
	return []Variant{
		{Name: "waits-for-one-terminating-pod-of-a-node",
			Says:   "Without surge, waits on a node with two terminating pods until the first of them is gone, and not for the other.",
			Breaks: []string{"DRAIN-003"}, Planner: remember(waitForOneLeaving)},
		{Name: "a-cordoned-node-that-it-finds-empty-stays-so",
			Says:   "Creates no pod on a node that is cordoned and has none when its process begins, until the node is uncordoned.",
			Breaks: []string{"DRAIN-001"}, Planner: aware(func(before starting) Around {
				return leaveFoundEmpty(before, newMemory[foundEmpty]())
			})},
		{Name: "waits-for-the-ports-of-terminating-pods", Says: "Creates no pod with host ports beside one that is terminating, although maxSurge asks for it.",
			Breaks: []string{"DRAIN-002"}, Planner: doing(waitForPorts)},
		{Name: "on-delete-replaces-by-the-template-of-the-deletion",
			Says:   "With the OnDelete strategy, creates the next pod of a node by the template that was in force when the last one's deletion began.",
			Breaks: []string{"ONDELETE-002"}, Planner: remember(replaceAsDeleted(onDelete))},
		{Name: "on-delete-writes-no-history-without-nodes", Says: "With the OnDelete strategy, creates no history while no node should run a pod.",
			Breaks: []string{"ONDELETE-003"}, Planner: doing(writeNoHistoryForNobody)},
		{Name: "a-template-that-comes-with-on-delete-is-rolled-out",
			Says:   "Rolls a template out by the strategy of before that comes with the strategy OnDelete in one request.",
			Breaks: []string{"ONDELETE-001"}, Planner: remember(rollOutWhatCameWith)},
		{Name: "on-delete-annotates-old-pods", Says: "With the OnDelete strategy, gives the pods that there are the annotations of the new template.",
			Breaks: []string{"ONDELETE-001"}, Planner: doing(annotateOld)},
		{Name: "on-delete-counts-ready-pods-as-updated", Says: "With the OnDelete strategy, reports a node as updated only while an updated pod there is Ready.",
			Breaks: []string{"ONDELETE-005"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				if onDelete(state) {
					status.UpdatedNumberScheduled = int32(howMany(nodes(state), func(n *node) bool { return n.eligible && slices.ContainsFunc(n.news, plan.IsReady) }))
				}
			})},
		{Name: "what-ended-before-it-began-is-in-the-way",
			Says:   "Creates no pod beside one that has ended and has been held back in deletion since before its process began.",
			Breaks: []string{"DRAIN-007"}, Planner: sinceStart(waitForEndedBefore)},
		{Name: "begins-with-one-daemonset-a-second", Says: "Looks at the DaemonSets that it finds when it begins one after another, one in a second.",
			Breaks: []string{"TAKEOVER-005"}, Reconciler: oneEachSecond},
		{Name: "labels-histories-as-the-selector-says", Says: "Labels histories with the labels of the selector, instead of those of the template, and its expressions are none.",
			Breaks: []string{"KUBECTL-002"}, Planner: labelBySelector},
		{Name: "deletes-nothing-of-two-budgets", Says: "Deletes no pod that two budgets select, as the Eviction API evicts none.",
			Breaks: []string{"CROSS-003"}, Writer: func(c client.Client) client.Client { return oneBudgetDeleter{c} }},
		{Name: "a-revision-label-in-the-template-stays", Says: "Leaves pods the revision label that the template has of its own.",
			Breaks: []string{"API-020"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if own, has := state.DaemonSet.Spec.Template.Labels[plan.HashLabel]; has {
					for _, creation := range actions.CreatePods {
						creation.Pod.Labels[plan.HashLabel] = own
					}
				}
			})},
		{Name: "kubectls-annotations-are-not-for-pods", Says: "Leaves out of pods the annotations of the template whose keys are kubectl's.",
			Breaks: []string{"API-023"},
			Planner: changeCreated(func(pod *corev1.Pod) {
				maps.DeleteFunc(pod.Annotations, func(key, _ string) bool { return strings.HasPrefix(key, "kubectl.kubernetes.io/") })
			})},
		{Name: "a-port-number-is-used-once", Says: "Leaves out of pods a port that has the number of another one, for another protocol.",
			Breaks: []string{"API-023"}, Planner: changeCreated(onePortOfANumber)},
		{Name: "reads-limits-of-any-strategy", Says: "Does nothing about a DaemonSet whose limits cannot be read, also with the OnDelete strategy, with which nobody asks for them.",
			Breaks: []string{"API-010"}, Planner: readLimits},
	}
}

// leavingSeen are the terminating pods of a DaemonSet: those that it waits for, by their nodes, and those that it does not.
type leavingSeen struct {
	awaited    map[string]types.UID
	overlooked sets.Set[types.UID]
}

func waitForOneLeaving(m *memory[leavingSeen]) Around {
	return deciding(func(state *plan.State, _ time.Time) {
		seen, there := m.of(*state), sets.New[types.UID]()
		if seen.awaited == nil {
			*seen = leavingSeen{awaited: map[string]types.UID{}, overlooked: sets.New[types.UID]()}
		}
		for _, pod := range state.Pods {
			there.Insert(pod.UID)
		}
		for _, n := range nodes(*state) {
			for _, pod := range n.leaving {
				switch awaited := seen.awaited[n.name]; {
				case awaited == pod.UID, seen.overlooked.Has(pod.UID):
				case there.Has(awaited):
					seen.overlooked.Insert(pod.UID)
				default:
					seen.awaited[n.name] = pod.UID
				}
			}
		}
		if !maySurge(*state) {
			withoutPods(state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil && seen.overlooked.Has(pod.UID) })
		}
	})
}

// foundEmpty are the cordoned nodes without a pod in the first pass over a DaemonSet that is older than the process.
type foundEmpty struct {
	looked bool
	nodes  sets.Set[string]
}

func leaveFoundEmpty(before starting, m *memory[foundEmpty]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		found := m.of(state)
		if !found.looked {
			*found = foundEmpty{looked: true, nodes: sets.New[string]()}
			for _, n := range nodes(state) {
				empty := len(n.olds)+len(n.news)+len(n.leaving)+len(n.ended) == 0
				if n.object.Spec.Unschedulable && empty && before(state.DaemonSet, now) {
					found.nodes.Insert(n.name)
				}
			}
		}
		for _, each := range state.Nodes {
			if !each.Spec.Unschedulable {
				found.nodes.Delete(each.Name)
			}
		}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			if found.nodes.Has(c.Node) {
				comeBack(actions, time.Second)
			}
			return found.nodes.Has(c.Node)
		})
	})
}

func waitForPorts(actions *plan.Actions, state plan.State, _ time.Time) {
	hasPorts := func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool {
			return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.HostPort != 0 })
		})
	}
	waits := map[string]bool{}
	for _, n := range nodes(state) {
		waits[n.name] = slices.ContainsFunc(n.leaving, hasPorts)
	}
	withoutCreations(actions, func(c plan.PodCreation) bool { return waits[c.Node] && hasPorts(c.Pod) })
}

func waitForEndedBefore(began func(now time.Time) time.Time) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		waits, start := map[string]bool{}, began(now)
		for _, n := range nodes(state) {
			waits[n.name] = slices.ContainsFunc(n.ended, func(pod *corev1.Pod) bool {
				return pod.DeletionTimestamp != nil && pod.DeletionTimestamp.Time.Before(start)
			})
		}
		withoutCreations(actions, func(c plan.PodCreation) bool { return waits[c.Node] })
	})
}

// cameWith are the strategy and the template as they were last seen, and the strategy by which the template is rolled out if another one came with it.
type cameWith struct {
	last    appsv1.DaemonSetUpdateStrategy
	hash    string
	carried *appsv1.DaemonSetUpdateStrategy
}

func rollOutWhatCameWith(m *memory[cameWith]) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		c, hash := m.of(state), hashOfCurrent(state)
		if hash != c.hash || !onDelete(state) {
			c.carried = nil
		}
		if hash != c.hash && c.hash != "" && onDelete(state) && c.last.Type == appsv1.RollingUpdateDaemonSetStrategyType {
			c.carried = c.last.DeepCopy()
		}
		c.hash = hash
		state.DaemonSet.Spec.UpdateStrategy.DeepCopyInto(&c.last)
		if c.carried != nil {
			c.carried.DeepCopyInto(&spec.UpdateStrategy)
		}
	})
}

func annotateOld(actions *plan.Actions, state plan.State, _ time.Time) {
	if !onDelete(state) || state.AwaitingOwnWrites {
		return
	}
	wanted := state.DaemonSet.Spec.Template.Annotations
	for _, n := range nodes(state) {
		for _, old := range n.olds {
			missing := maps.Clone(wanted)
			maps.DeleteFunc(missing, func(key, value string) bool { return old.Annotations[key] == value })
			if len(missing) > 0 {
				actions.UpdatePods = append(slices.Clone(actions.UpdatePods), plan.PodUpdate{Pod: old, Node: n.name, Reason: plan.ReasonOutdated, Labels: map[string]string{}, Annotations: missing})
			}
		}
	}
}

// replaceAsDeleted remembers of each node on which a pod is terminating the DaemonSet as it was when that began, until the node has another pod.
func replaceAsDeleted(applies func(plan.State) bool) func(*memory[map[string]*appsv1.DaemonSet]) Around {
	return func(m *memory[map[string]*appsv1.DaemonSet]) Around {
		return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			began := m.of(state)
			if *began == nil {
				*began = map[string]*appsv1.DaemonSet{}
			}
			for _, n := range nodes(state) {
				switch _, known := (*began)[n.name]; {
				case len(n.olds)+len(n.news) > 0:
					delete(*began, n.name)
				case len(n.leaving) > 0 && !known:
					(*began)[n.name] = state.DaemonSet.DeepCopy()
				}
			}
			if !applies(state) {
				return
			}
			actions.CreatePods = slices.Clone(actions.CreatePods)
			for i, creation := range actions.CreatePods {
				if then := (*began)[creation.Node]; then != nil {
					hash := plan.TemplateHash(&then.Spec.Template, then.Status.CollisionCount)
					actions.CreatePods[i].Hash, actions.CreatePods[i].Pod = hash, plan.NewPod(then, hash, creation.Node)
				}
			}
		})
	}
}

// writeNoHistoryForNobody has nothing left to do then, and says so.
func writeNoHistoryForNobody(actions *plan.Actions, state plan.State, _ time.Time) {
	if !onDelete(state) || actions.CreateRevision == nil || eligibleNodes(state) > 0 {
		return
	}
	actions.CreateRevision = nil
	status := actions.Status
	if status == nil {
		status = state.DaemonSet.Status.DeepCopy()
	}
	status.ObservedGeneration = state.DaemonSet.Generation
	actions.Status = unlessWritten(state, status)
}

// oneEachSecond takes those that it hears of within two seconds of the first for those that it finds.
func oneEachSecond(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
	var mu sync.Mutex
	var first time.Time
	turns := map[types.NamespacedName]time.Time{}
	turn := func(key types.NamespacedName, now time.Time) time.Time {
		mu.Lock()
		defer mu.Unlock()
		if first.IsZero() {
			first = now
		}
		at, known := turns[key]
		if !known {
			at = now
			if now.Sub(first) < 2*time.Second {
				at = first.Add(time.Duration(len(turns)) * time.Second)
			}
			turns[key] = at
		}
		return at
	}
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		now := time.Now()
		if wait := turn(request.NamespacedName, now).Sub(now); wait > 0 {
			return reconcile.Result{RequeueAfter: wait}, nil
		}
		return inner.Reconcile(ctx, request)
	})
}

// labelBySelector finds histories by their controller, so it needs none of the labels.
func labelBySelector(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		ds := state.DaemonSet
		labelled := func(revision *appsv1.ControllerRevision, from map[string]string) {
			hash, has := revision.Labels[plan.HashLabel]
			revision.Labels = maps.Clone(from)
			if revision.Labels == nil {
				revision.Labels = map[string]string{}
			}
			if has {
				revision.Labels[plan.HashLabel] = hash
			}
		}
		state.Revisions = slices.Clone(state.Revisions)
		for i, revision := range state.Revisions {
			if metav1.IsControlledBy(revision, ds) {
				state.Revisions[i] = revision.DeepCopy()
				labelled(state.Revisions[i], ds.Spec.Template.Labels)
			}
		}
		actions := next(state, now)
		if actions.CreateRevision != nil {
			labelled(actions.CreateRevision, ds.Spec.Selector.MatchLabels)
		}
		for _, update := range actions.UpdateRevisions {
			if metav1.IsControlledBy(update.Revision, ds) {
				labelled(update.Revision, ds.Spec.Selector.MatchLabels)
			}
		}
		return actions
	}
}

// oneBudgetDeleter evicts, and deletes what a budget does not let it evict. The Eviction API answers with an error of the server where there are two.
type oneBudgetDeleter struct{ client.Client }

func (c oneBudgetDeleter) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if _, isPod := object.(*corev1.Pod); isPod {
		var budgets policyv1.PodDisruptionBudgetList
		if err := c.List(ctx, &budgets, client.InNamespace(object.GetNamespace())); err != nil {
			return fmt.Errorf("list the budgets: %w", err)
		}
		guards := 0
		for _, budget := range budgets.Items {
			if selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector); err == nil && selector.Matches(labels.Set(object.GetLabels())) {
				guards++
			}
		}
		if guards > 1 {
			return apierrors.NewInternalError(errors.New("this pod has more than one PodDisruptionBudget, which the eviction subresource does not support"))
		}
	}
	return c.Client.Delete(ctx, object, options...)
}

func onePortOfANumber(pod *corev1.Pod) {
	for i := range pod.Spec.Containers {
		used := sets.New[int32]()
		pod.Spec.Containers[i].Ports = slices.DeleteFunc(pod.Spec.Containers[i].Ports, func(port corev1.ContainerPort) bool {
			twice := used.Has(port.ContainerPort)
			used.Insert(port.ContainerPort)
			return twice
		})
	}
}

// readLimits does what the reference does about a DaemonSet that no API server would store.
func readLimits(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		if limits := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate; limits != nil {
			for _, value := range []*intstr.IntOrString{limits.MaxSurge, limits.MaxUnavailable} {
				if value == nil {
					continue
				}
				if _, err := intstr.GetScaledValueFromIntOrPercent(value, 100, true); err != nil {
					return plan.Actions{Err: err}
				}
			}
		}
		return next(state, now)
	}
}
