package variants

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulStrangers are habits of controllers that have nothing in common with the reference but the requirements.
func lawfulStrangers() []Variant {
	return []Variant{
		{Name: "replaces-unready-old-pods-instead-of-beside",
			Says: "With maxSurge, deletes an old pod that is not Ready and has no updated one beside it, and creates that beside the terminating one.",
			Lawful: "UNREADY-001 has the updated pod come beside the old one, or instead of it (SURGE-022), and both steps are far within its five seconds. " +
				"SURGE-006, SURGE-008, SURGE-016 and PAUSE-001 protect available pods, and one that is Ready for a short time (UNREADY-010) is left alone, too. " +
				"SURGE-009 counts no terminating pod. SURGE-023 is about healthy nodes. Where a deletion was refused the updated pod comes beside the old one.",
			Planner: doing(replaceUnready)},
		{Name: "tells-of-a-stall-before-it-reports-it",
			Says: "Writes its condition three seconds after it changed, in a write of its own where the numbers change before, and records the event at once.",
			Lawful: "COND-001 and COND-002 give the condition and the event 20 seconds each, and COND-003 gives its end 15. None says that they come together, " +
				"or with the numbers. The numbers are written at once, and conditions of others are left as they are (COND-005).",
			Planner: remember(reportStallApart)},
		{Name: "nodes-have-turns-of-their-own",
			Says: "Creates, updates and deletes pods of a node at the next of the node's own times, which are two seconds apart and others for each node.",
			Lawful: "A reaction may take five seconds (UNREADY-008, SURGE-001), and AVAIL-003 gives three. Limits are upper bounds. " +
				"TARGET-010: a first delay is at most four seconds longer than another, a turn to delete and a turn to create.",
			Planner: remember(takeTurns)},
		{Name: "labels-outdated-pods",
			Says: "With RollingUpdate, gives each old pod a label that says so when the template changes, and another value when a rollback makes it an updated one.",
			Lawful: "ONDELETE-001 forbids changes with OnDelete alone, ROLLBACK-002 and ROLLING-015 forbid restarts. HISTORY-012 is about the revision label, which stays, " +
				"TARGET-003 and ROLLING-019 about pods of others. SURGE-025: after a rollout no old pod is left to write to.",
			Reconciler: labelOutdated},
		{Name: "histories-have-the-labels-of-the-selector-alone",
			Says: "Creates histories with those labels of the template that the selector names, beside the revision label, and without annotations.",
			Lawful: "HISTORY-001 asks for a number, a controller and data, HISTORY-002 and API-020 for the revision label. " +
				"The selector goes on to match (HISTORY-014, HISTORY-026, KUBECTL-002). None asks for the template's other labels or the DaemonSet's annotations.",
			Planner: making(bareHistory)},
		{Name: "grants-two-more-seconds-of-grace",
			Says: "Deletes pods with a grace period that is two seconds longer than the pod's own, unless that is zero.",
			Lawful: "DRAIN-004 and KUBELET-005 forbid to take time away. SURGE-007 asks when a pod is marked for deletion, and SURGE-009, ROLLING-013 and DRAIN-003 go by that, or by when it is gone. " +
				"TARGET-002 and DRAIN-008 cannot ask that a pod is gone sooner than its process ends.",
			Writer: deletingPods(func(pod *corev1.Pod) client.DeleteOption {
				if own := pod.Spec.TerminationGracePeriodSeconds; own != nil && *own > 0 {
					return client.GracePeriodSeconds(*own + 2)
				}
				return &client.DeleteOptions{}
			})},
		{Name: "sends-each-creation-twice",
			Says: "Names pods itself and, once a pod has been created, sends the same request again, which finds the name taken.",
			Lawful: "SURGE-023 and ROLLING-018 count creations, and the second request makes no pod. RECOVERY-006 bounds attempts while creating fails, and what failed is not sent " +
				"twice. RECOVERY-008: the name keeps a second pod from being made. No requirement says how pods are named.",
			Writer: func(c client.Client) client.Client { return sendingTwice{c} }},
	}
}

// replaceUnready deletes old pods where the planner puts an updated one beside them. The next pass finds the node without a pod that runs, and fills it.
func replaceUnready(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) {
		return
	}
	beside := sets.New[string]()
	for _, creation := range actions.CreatePods {
		if creation.Reason == plan.ReasonOldUnavailable {
			beside.Insert(creation.Node)
		}
	}
	for _, n := range nodes(state) {
		_, refused := state.RefusedDeletions[n.name]
		if refused || !beside.Has(n.name) || slices.ContainsFunc(n.olds, plan.IsReady) || len(actions.DeletePods)+len(n.olds) > plan.Burst {
			continue
		}
		for _, old := range n.olds {
			remove(actions, old, plan.ReasonOldUnavailable)
		}
	}
}

// untold is a condition that has been decided on and is not written yet, and since when there is one.
type untold struct {
	condition *appsv1.DaemonSetCondition
	since     time.Time
}

// reportStallApart shows the planner the condition that it decided on, as if it were written: so it tells of each change once.
func reportStallApart(m *memory[untold]) Around {
	const delay = 3 * time.Second
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			if state.DaemonSet.DeletionTimestamp != nil {
				return next(state, now)
			}
			stored, pending, shown := state.DaemonSet.Status.DeepCopy(), m.of(state), state
			if pending.condition != nil {
				shown.DaemonSet = state.DaemonSet.DeepCopy()
				shown.DaemonSet.Status.Conditions = plan.WithStalled(stored.Conditions, []appsv1.DaemonSetCondition{*pending.condition})
			}
			actions := next(shown, now)
			if actions.Err != nil {
				return actions
			}
			status := shown.DaemonSet.Status.DeepCopy()
			if actions.Status != nil {
				status = actions.Status.DeepCopy()
			}
			decided := conditionOf(status, plan.ConditionStalled)
			if decided == nil || apiequality.Semantic.DeepEqual(decided, conditionOf(stored, plan.ConditionStalled)) {
				*pending = untold{}
			} else {
				if pending.since.IsZero() {
					pending.since = now
				}
				pending.condition = decided.DeepCopy()
				if left := pending.since.Add(delay).Sub(now); left > 0 {
					status.Conditions = stored.Conditions
					comeBack(&actions, left)
				}
			}
			actions.Status = unlessWritten(state, status)
			return actions
		}
	}
}

// betweenTurns is the time between two turns of a node.
const betweenTurns = 2 * time.Second

// untilTurn returns how long it is from then to the next turn of the node.
func untilTurn(node string, then time.Time) time.Duration {
	hash := fnv.New32a()
	fmt.Fprint(hash, node)
	phase := time.Duration(hash.Sum32()) % betweenTurns
	return betweenTurns - (time.Duration(then.UnixNano())-phase)%betweenTurns
}

// takeTurns puts everything that is wanted on a node off until the node's next turn. From then on it is done for as long as it is wanted.
func takeTurns(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		h, wanted := m.of(state), map[string]bool{}
		waits := func(what, node string) bool {
			key := what + " " + node
			wanted[key] = true
			since, known := h.since[key]
			if !known {
				since = now
			}
			return h.held(key, untilTurn(node, since), now, actions)
		}
		// The pods of a node that are to be deleted are deleted together, so that what is noted of the node is true of all.
		kept := sets.New[string]()
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			if !waits("delete", d.Node) {
				return false
			}
			kept.Insert(d.Node)
			return true
		})
		withoutCreations(actions, func(c plan.PodCreation) bool { return waits("create "+c.Hash, c.Node) })
		actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), func(u plan.PodUpdate) bool { return waits("update", u.Node) })
		actions.Backoff = maps.Clone(actions.Backoff)
		maps.DeleteFunc(actions.Backoff, func(node string, _ plan.Backoff) bool { return kept.Has(node) })
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool {
			return event.Pod != nil && kept.Has(plan.TargetNode(event.Pod))
		})
		h.only(wanted)
	})
}

const (
	// outdatedLabel is the label of old pods.
	outdatedLabel = "example.com/outdated"
	// labelledAtOnce is how many pods it labels after a pass, so that no pass waits for them.
	labelledAtOnce = 5
)

// labelOutdated labels pods after every pass.
func labelOutdated(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		result, err := inner.Reconcile(ctx, request)
		if err != nil {
			return result, err
		}
		const soon = 100 * time.Millisecond
		left, err := labelOldPods(ctx, c, request)
		if left && (result.RequeueAfter == 0 || result.RequeueAfter > soon) {
			result.RequeueAfter = soon
		}
		return result, err
	})
}

// labelOldPods reports whether more pods are left to label. A pod is old that has the label of a history other than the one with the largest number. The
// value of the label changes, and the label is never taken away.
func labelOldPods(ctx context.Context, c client.Client, request reconcile.Request) (left bool, err error) {
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if ds.DeletionTimestamp != nil || ds.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return false, nil
	}
	var histories appsv1.ControllerRevisionList
	var pods corev1.PodList
	if err := c.List(ctx, &histories, client.InNamespace(request.Namespace)); err != nil {
		return false, fmt.Errorf("list histories: %w", err)
	}
	if err := c.List(ctx, &pods, client.InNamespace(request.Namespace)); err != nil {
		return false, fmt.Errorf("list pods: %w", err)
	}
	current, before := &appsv1.ControllerRevision{}, sets.New[string]()
	for i := range histories.Items {
		each := &histories.Items[i]
		if !metav1.IsControlledBy(each, ds) {
			continue
		}
		before.Insert(each.Labels[plan.HashLabel])
		if each.Revision > current.Revision {
			current = each
		}
	}
	before.Delete("", current.Labels[plan.HashLabel])
	labelled := 0
	for i := range pods.Items {
		pod := &pods.Items[i]
		is, says := before.Has(pod.Labels[plan.HashLabel]), pod.Labels[outdatedLabel] == strconv.FormatBool(true)
		if is == says || !metav1.IsControlledBy(pod, ds) || pod.DeletionTimestamp != nil || plan.HasEnded(pod) {
			continue
		}
		if labelled == labelledAtOnce {
			return true, nil
		}
		labelled++
		changed := pod.DeepCopy()
		metav1.SetMetaDataLabel(&changed.ObjectMeta, outdatedLabel, strconv.FormatBool(is))
		err := c.Patch(ctx, changed, client.MergeFromWithOptions(pod, client.MergeFromWithOptimisticLock{}))
		switch {
		case apierrors.IsConflict(err):
			left = true
		case client.IgnoreNotFound(err) != nil:
			return left, fmt.Errorf("label pod %s: %w", pod.Name, err)
		}
	}
	return left, nil
}

// bareHistory leaves a history what it needs to be found.
func bareHistory(revision *appsv1.ControllerRevision, state plan.State) {
	selector := state.DaemonSet.Spec.Selector
	named := sets.KeySet(selector.MatchLabels).Insert(plan.HashLabel)
	for _, expression := range selector.MatchExpressions {
		named.Insert(expression.Key)
	}
	maps.DeleteFunc(revision.Labels, func(key, _ string) bool { return !named.Has(key) })
	revision.Annotations = nil
}

// sendingTwice sends creations of pods that succeed once more.
type sendingTwice struct{ client.Client }

// Create implements client.Client.
func (c sendingTwice) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Create(ctx, object, options...)
	}
	if pod.Name == "" {
		pod.Name, pod.GenerateName = within(pod.GenerateName, "-"+rand.String(8)), ""
	}
	again := pod.DeepCopy()
	if err := c.Client.Create(ctx, pod, options...); err != nil {
		return err
	}
	err := c.Client.Create(ctx, again, options...)
	var answer apierrors.APIStatus
	switch {
	case err == nil:
		// The first one is gone already.
		again.DeepCopyInto(pod)
		return nil
	case errors.As(err, &answer) && answer.Status().Code >= 400 && answer.Status().Code < 500:
		// Refused, as it should be: the first one is there.
		return nil
	default:
		// It may have been made, in the place of one that is gone already.
		return err
	}
}
