package variants

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	unitedplan "github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// lawfulCoincidences do otherwise than the reference where two things happen at once: a hand-over and another, a surge and a host port, a move and a taint, a
// rollback and a rollout.
func lawfulCoincidences() []Variant {
	return []Variant{
		{Name: "hands-over-surged-nodes-together",
			Says: "Deletes the old pods of nodes that it surged on together, once no surge pod is left to wait for, or after two and a half seconds, and gives the slots of those nodes away then.",
			Lawful: "SURGE-007 gives each old pod five seconds from when the updated one is available, and AVAIL-003 three from a status. SURGE-001 and SURGE-002: maxSurge is an upper bound, " +
				"and what is handed over is under way. RECOVERY-003: a new process waits anew, within the five seconds. SURGE-013 is about nodes whose old pod is not available.",
			Planner: remember(handOverTogether)},
		{Name: "doubles-the-surge-as-updated-pods-become-available",
			Says: "Surges on one node first, and then on as many as have an available updated pod, up to maxSurge: on one, two, four, …",
			Lawful: "SURGE-001, SURGE-003, SURGE-004 and SURGE-005: maxSurge is an upper bound, a percentage, too, and none has to use all of it. One node may always be surged on, so a node that waits gets its turn. " +
				"SURGE-020: where updated pods are lost none is taken away. SURGE-012 and UNREADY-001 are about nodes that take no slot.",
			Planner: limiting(maxSurge, doublingSurge)},
		{Name: "foresees-host-port-conflicts",
			Says: "Reports a stall for want of a host port as soon as the pods that would share it are there, before the scheduler refuses one, and names both.",
			Lawful: "HOSTPORT-010 asks for a condition and an event, COND-001 for words that name the pod or its node, and COND-001 and COND-002 say until when, not from when. " +
				"It is said only of a pod that is not bound, beside a bound one of its node that has the port and stays. COND-003: it is gone once one of them is.",
			Planner: foreseePortConflicts},
		{Name: "evacuates-updated-pods-before-old-ones",
			Says: "Deletes the updated pod of a node that is to have none first, and the old one beside it when that is gone, or two seconds later.",
			Lawful: "DRAIN-008 and TARGET-002 have pods go within five seconds, and say nothing of an order. SURGE-016 keeps the last available pod of eligible nodes alone. " +
				"SURGE-017 says when an available old pod may go from such a node, and not when it must; SURGE-018 asks for no time of its own.",
			Planner: remember(evacuateUpdatedFirst)},
		{Name: "waits-for-unready-old-pods-to-recover",
			Says: "With maxSurge, creates the updated pod beside an old one that is not available once that has been so for two and a half seconds.",
			Lawful: "UNREADY-001, UNREADY-008, UNREADY-009 and PAUSE-005: at once is within five seconds. An old pod that is available again by then needs a slot as any other (SURGE-002). " +
				"UNREADY-002 to UNREADY-005 are about nodes without an old pod that runs, which are filled as ever.",
			Planner: holdCreations(2500*time.Millisecond, createdFor(plan.ReasonOldUnavailable))},
		{Name: "rolls-back-before-it-renumbers",
			Says: "Begins with the pods of a rollback at once, and gives its history the largest number a second later.",
			Lawful: "HISTORY-010 and ROLLBACK-001 ask for the number, promptly from the change of the template on, and let a status observe the generation before. HISTORY-008 forbids pods of a template without a history, " +
				"and HISTORY-009 wants the label of the current one, which is that of the template. HISTORY-003: another template in the meantime gets a number above all.",
			Planner: remember(renumberLate)},
		{Name: "tries-refused-nodes-in-order-for-a-second",
			Says: "Tries pods that were refused in the order of the nodes, as if none had been, for a second after the first refusal, and those of other nodes before them only then.",
			Lawful: "RECOVERY-006 gives the other nodes 30 seconds and leaves it to chance which one is tried before a refused one. Attempts are as many, with the same pauses, and no more at a time. " +
				"SURGE-012 and UNREADY-008 have five seconds where nothing is refused.",
			Planner: seeing(forgetRefusedNodes)},
		{Name: "takes-the-condition-of-a-stall-away",
			Says: "Takes the condition out of the status when the rollout goes on, where the reference has it turn False.",
			Lawful: "COND-003 has the condition cleared or turn False. COND-001: the next stall has one that was not there. COND-005 is about conditions of others, which stay. " +
				"STATUS-012: the status is another one.",
			Planner: reporting(clearStalled)},
		{Name: "united-hands-nodes-over-late",
			Says: "With maxSurge on the target, gives a node to its new member two seconds after the pod of that could take over.",
			Lawful: "UNITED-030 has the other pod deleted no earlier than that, and no requirement says how much later; elsewhere a reaction may take five seconds. " +
				"The node counts as one that is moving (UNITED-027, UNITED-028), and holds a pod of each member as long as CROSS-006 allows. UNITED-022 and UNITED-041 ask for what is there in the end.",
			United: handNodesOverLate},
	}
}

// handedOverWithin is how long an old pod waits at most for the other hand-overs.
const handedOverWithin = 2500 * time.Millisecond

// handOverTogether holds deletions of replaced pods while there are surge pods that are not available. A node whose deletion is held keeps its slot.
func handOverTogether(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites || !maySurge(state) {
			return
		}
		h, wanted := m.of(state), map[string]bool{}
		starting, held := len(surging(state, now)), 0
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			if d.Reason != plan.ReasonReplaced {
				return false
			}
			key := string(d.Pod.UID)
			wanted[key] = true
			if !h.held(key, handedOverWithin, now, actions) || starting == 0 {
				return false
			}
			held++
			return true
		})
		h.only(wanted)
		if held == 0 {
			return
		}
		// A node whose updated pod is on its way out, or has ended, has its slot already.
		again := sets.New[string]()
		for _, n := range nodes(state) {
			if len(n.leaving)+len(n.ended) > 0 {
				again.Insert(n.name)
			}
		}
		room := limitOf(state, maxSurge) - starting - held
		withoutCreations(actions, func(c plan.PodCreation) bool {
			if c.Reason != plan.ReasonSurge || again.Has(c.Node) {
				return false
			}
			room--
			return room < 0
		})
	})
}

func doublingSurge(value *intstr.IntOrString, state plan.State, now time.Time) int {
	done := howMany(nodes(state), func(n *node) bool { return n.eligible && available(state, n.news, now) })
	return max(1, min(scaled(value, eligibleNodes(state), true), done))
}

// foreseePortConflicts takes what is reported of stalls from a planner that sees the conflicts as the scheduler will tell of them.
func foreseePortConflicts(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions, shown := next(state, now), state
		if actions.Err != nil || state.DaemonSet.DeletionTimestamp != nil || !showPortConflicts(&shown, now) {
			return actions
		}
		told := next(shown, now)
		reportAs(&actions, told, state.DaemonSet)
		comeBack(&actions, told.RequeueAfter)
		if actions.Status != nil {
			actions.Status = unlessWritten(state, actions.Status)
		}
		return actions
	}
}

// showPortConflicts shows each updated pod that waits for a host port of an old one as refused for a while, and reports whether there is one.
func showPortConflicts(state *plan.State, now time.Time) bool {
	why := map[types.UID]string{}
	for _, n := range nodes(*state) {
		for _, waits := range n.news {
			if waits.Spec.NodeName != "" {
				continue
			}
			for _, has := range n.olds {
				if port := sharedPort(waits, has); port != 0 && has.Spec.NodeName != "" {
					why[waits.UID] = fmt.Sprintf("pod %s has the host port %d of node %s", has.Name, port, n.name)
				}
			}
		}
	}
	before := metav1.NewTime(now.Add(-time.Minute))
	changePods(state, func(pod *corev1.Pod) bool { return why[pod.UID] != "" }, func(pod *corev1.Pod) {
		pod.CreationTimestamp = before
		pod.Status.Conditions = append(slices.DeleteFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled }),
			corev1.PodCondition{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: why[pod.UID], LastTransitionTime: before,
			})
	})
	return len(why) > 0
}

// sharedPort returns a host port that the two pods cannot both have; 0 if there is none.
func sharedPort(a, b *corev1.Pod) int32 {
	anywhere := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	for _, one := range portsOfHost(a) {
		for _, other := range portsOfHost(b) {
			sameIP := one.HostIP == other.HostIP || anywhere(one.HostIP) || anywhere(other.HostIP)
			if one.HostPort == other.HostPort && sameIP && cmp.Or(one.Protocol, corev1.ProtocolTCP) == cmp.Or(other.Protocol, corev1.ProtocolTCP) {
				return one.HostPort
			}
		}
	}
	return 0
}

// portsOfHost are the host ports that the pod has for as long as it runs.
func portsOfHost(pod *corev1.Pod) []corev1.ContainerPort {
	var ports []corev1.ContainerPort
	for _, container := range pod.Spec.Containers {
		ports = append(ports, container.Ports...)
	}
	for _, container := range pod.Spec.InitContainers {
		if policy := container.RestartPolicy; policy != nil && *policy == corev1.ContainerRestartPolicyAlways {
			ports = append(ports, container.Ports...)
		}
	}
	return slices.DeleteFunc(ports, func(port corev1.ContainerPort) bool { return port.HostPort == 0 })
}

// evacuateUpdatedFirst holds the deletion of an old pod while an updated one is on the node, be it on its way out.
func evacuateUpdatedFirst(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		isUpdated, both := updated(state), sets.New[string]()
		for _, n := range nodes(state) {
			if len(n.news) > 0 || slices.ContainsFunc(n.leaving, isUpdated) {
				both.Insert(n.name)
			}
		}
		h, wanted := m.of(state), map[string]bool{}
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			if d.Reason != plan.ReasonIneligible || !both.Has(d.Node) || isUpdated(d.Pod) || plan.HasEnded(d.Pod) {
				return false
			}
			key := string(d.Pod.UID)
			wanted[key] = true
			return h.held(key, 2*time.Second, now, actions)
		})
		h.only(wanted)
	})
}

// renumberLate puts off what gives an own history another number, and changes nothing else of it.
func renumberLate(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		stored := map[types.UID]*appsv1.ControllerRevision{}
		for _, revision := range state.Revisions {
			stored[revision.UID] = revision
		}
		h, wanted := m.of(state), map[string]bool{}
		actions.UpdateRevisions = slices.DeleteFunc(slices.Clone(actions.UpdateRevisions), func(update plan.RevisionUpdate) bool {
			was := stored[update.Revision.UID]
			if was == nil || update.Adopt || was.Revision == update.Revision.Revision {
				return false
			}
			numbered := was.DeepCopy()
			numbered.Revision = update.Revision.Revision
			if !apiequality.Semantic.DeepEqual(numbered, update.Revision) {
				return false
			}
			// Each change of the template is another wish.
			key := string(was.UID) + " " + strconv.FormatInt(state.DaemonSet.Generation, 10)
			wanted[key] = true
			return h.held(key, time.Second, now, actions)
		})
		h.only(wanted)
	})
}

// forgetRefusedNodes hides for a second which nodes were refused a pod, but not that some were.
func forgetRefusedNodes(state *plan.State, now time.Time) {
	if state.Refused == nil || now.Sub(state.Refused.Since) >= time.Second {
		return
	}
	refused := *state.Refused
	refused.Nodes = nil
	state.Refused = &refused
}

// clearStalled leaves the condition out unless it is True.
func clearStalled(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
	status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(condition appsv1.DaemonSetCondition) bool {
		return condition.Type == plan.ConditionStalled && condition.Status != corev1.ConditionTrue
	})
}

// handNodesOverLate puts off that a node which has an incoming member gets that for its own.
func handNodesOverLate(next unitedplan.Planner) unitedplan.Planner {
	due := &late{}
	return func(state unitedplan.State, now time.Time) unitedplan.Actions {
		actions, keys := next(state, now), homes(state)
		key := func(node *corev1.Node) types.UID { return state.United.UID + "/" + node.UID }
		wanted := map[types.UID]bool{}
		actions.LabelNodes = slices.DeleteFunc(slices.Clone(actions.LabelNodes), func(labels unitedplan.NodeLabels) bool {
			if labels.Node.Labels[keys.Incoming] == "" || labels.Labels[keys.Home] == nil {
				return false
			}
			wanted[key(labels.Node)] = true
			left := due.left(key(labels.Node), now)
			if left > 0 {
				planAgain(&actions, left)
			}
			return left > 0
		})
		for _, node := range state.Nodes {
			if !wanted[key(node)] {
				due.forget(key(node))
			}
		}
		return actions
	}
}
