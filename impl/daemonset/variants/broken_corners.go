package variants

import (
	"slices"
	"strconv"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenCorners are wrong where two things come together: a pause and a second object of a name, the gate and pods that leave, a way back and another one.
func brokenCorners() []Variant {
	return []Variant{
		{Name: "shares-its-slots-with-its-namesakes", Says: "Counts the surging nodes of DaemonSets of the same name in other namespaces against maxSurge.",
			Breaks: []string{"PAUSE-008"}, Planner: remembering(shareSlots)},
		{Name: "a-node-that-comes-back-waits-for-a-slot", Says: "Creates no pod on a node of a name that there was before while maxSurge is used up.",
			Breaks: []string{"PAUSE-006"}, Planner: remember(holdReturned)},
		{Name: "an-updated-pod-that-leaves-is-enough",
			Says:   "Makes no updated pod beside an old one that is not available before the updated one that is terminating there is gone.",
			Breaks: []string{"PAUSE-005"}, Planner: doing(waitForLeavingUpdated)},
		{Name: "gives-way-on-the-hosts-network", Says: "Takes one node down at a time instead of surging where the pods have ports on the host's network.",
			Breaks: []string{"HOSTPORT-009"}, Planner: seeingSpec(giveWay)},
		{Name: "forgets-the-gate-beside-leaving-pods", Says: "Creates the next pod beside a terminating one where maxSurge is stored although the feature gate is off.",
			Breaks: []string{"GATE-002"},
			Planner: deciding(func(state *plan.State, _ time.Time) {
				if state.SurgeDisabled && limitOf(*state, maxSurge) > 0 {
					withoutPods(state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
				}
			})},
		{Name: "never-goes-back-to-what-was-overtaken", Says: "Updates no pod to a template that another one overtook before it was rolled out.",
			Breaks: []string{"ROLLOVER-005"}, Planner: remember(shunOvertaken)},
		{Name: "the-younger-of-two-available-pods-stays", Says: "Deletes the older of an old and an updated pod that are both available, also where the updated one is older.",
			Breaks: []string{"ROLLBACK-003"}, Planner: doing(keepYoungerAvailable)},
		{Name: "numbers-a-rollback-after-the-youngest", Says: "Gives the history that a rollback goes back to the number that follows that of the history that was created last.",
			Breaks: []string{"ROLLBACK-001"}, Planner: doing(numberAfterYoungest)},
	}
}

// slotsSeen are the surging nodes of one DaemonSet, as they were when it was last looked at.
type slotsSeen struct {
	number int
	seen   time.Time
}

// shareSlots forgets DaemonSets that it has not looked at for a while: they may be gone.
func shareSlots() Around {
	var mu sync.Mutex
	all := map[string]map[types.UID]slotsSeen{}
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		ds, own := state.DaemonSet, len(surging(state, now))
		if all[ds.Name] == nil {
			all[ds.Name] = map[types.UID]slotsSeen{}
		}
		all[ds.Name][ds.UID] = slotsSeen{number: own, seen: now}
		room := limitOf(state, maxSurge)
		for _, s := range all[ds.Name] {
			if now.Sub(s.seen) < 3*time.Second {
				room -= s.number
			}
		}
		before := len(actions.CreatePods)
		withoutCreations(actions, func(c plan.PodCreation) bool {
			if c.Reason == plan.ReasonSurge {
				room--
			}
			return c.Reason == plan.ReasonSurge && room < 0
		})
		if own > 0 || len(actions.CreatePods) < before {
			comeBack(actions, time.Second)
		}
	})
}

// holdReturned remembers the nodes on which pods were seen, by their names. A node that got its pod is no longer one that came back.
func holdReturned(m *memory[map[string]types.UID]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		known := m.of(state)
		if *known == nil {
			*known = map[string]types.UID{}
		}
		returned := map[string]bool{}
		for _, n := range nodes(state) {
			if len(n.olds)+len(n.news) > 0 {
				(*known)[n.name] = n.object.UID
			}
			first, before := (*known)[n.name]
			returned[n.name] = before && first != n.object.UID
		}
		if maySurge(state) && len(surging(state, now)) >= limitOf(state, maxSurge) {
			withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonMissing && returned[c.Node] })
		}
	})
}

func waitForLeavingUpdated(actions *plan.Actions, state plan.State, _ time.Time) {
	waits, isUpdated := map[string]bool{}, updated(state)
	for _, n := range nodes(state) {
		waits[n.name] = slices.ContainsFunc(n.leaving, isUpdated)
	}
	withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonOldUnavailable && waits[c.Node] })
}

func giveWay(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
	limits, pod := spec.UpdateStrategy.RollingUpdate, spec.Template.Spec
	if limits == nil || !pod.HostNetwork || scaled(limits.MaxSurge, 100, true) == 0 {
		return
	}
	for _, container := range pod.Containers {
		if len(container.Ports) > 0 {
			limits.MaxSurge, limits.MaxUnavailable = ptr.To(intstr.FromInt32(0)), ptr.To(intstr.FromInt32(1))
		}
	}
}

// overtaken are the templates of a DaemonSet that another one overtook, by their hashes.
type overtaken struct {
	hash    string
	done    bool
	shunned map[string]bool
}

func shunOvertaken(m *memory[overtaken]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		o, hash := m.of(state), plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount)
		if o.shunned == nil {
			o.shunned = map[string]bool{}
		}
		if hash != o.hash {
			if o.hash != "" && !o.done {
				o.shunned[o.hash] = true
			}
			o.hash, o.done = hash, false
		}
		o.done = o.done || howMany(nodes(state), func(n *node) bool {
			return n.eligible && (len(n.olds) > 0 || !available(state, n.news, now))
		}) == 0
		if !o.shunned[hash] {
			return
		}
		withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason != plan.ReasonMissing })
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			return d.Reason == plan.ReasonOutdated || d.Reason == plan.ReasonOldUnavailable
		})
	})
}

func keepYoungerAvailable(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) {
		return
	}
	made := func(pod *corev1.Pod) int {
		generation, err := strconv.Atoi(pod.Labels[plan.GenerationLabel])
		if err != nil {
			return 0
		}
		return generation
	}
	for _, n := range nodes(state) {
		if !available(state, n.olds, now) || !available(state, n.news, now) || made(n.news[0]) >= made(n.olds[0]) {
			continue
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Pod.UID == n.olds[0].UID })
		remove(actions, n.news[0], plan.ReasonReplaced)
	}
}

// numberAfterYoungest leaves alone what has a number above that already.
func numberAfterYoungest(actions *plan.Actions, state plan.State, _ time.Time) {
	name := plan.RevisionName(state.DaemonSet)
	var youngest *appsv1.ControllerRevision
	for _, revision := range state.Revisions {
		if revision.Name != name && (youngest == nil || youngest.CreationTimestamp.Before(&revision.CreationTimestamp)) {
			youngest = revision
		}
	}
	var left []plan.RevisionUpdate
	for _, update := range actions.UpdateRevisions {
		if youngest == nil || update.Revision.Name != name {
			left = append(left, update)
			continue
		}
		for _, revision := range state.Revisions {
			if revision.Name != name {
				continue
			}
			update.Revision.Revision = max(revision.Revision, youngest.Revision+1)
			if update.Adopt || update.Revision.Revision != revision.Revision {
				left = append(left, update)
			}
		}
	}
	actions.UpdateRevisions = left
}
