package variants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulAuthors read the design documents otherwise than the reference does, where these leave a choice.
func lawfulAuthors() []Variant {
	return []Variant{
		{Name: "canary-first", Says: "Updates one node alone, and uses the limits once an updated pod is available.",
			Lawful: "maxSurge and maxUnavailable are upper bounds.", Planner: both(limiting(maxSurge, oneAtFirst), limiting(maxUnavailable, oneAtFirst))},
		{Name: "batch-by-batch", Says: "Takes further nodes into the rollout once all that it took before are done.",
			Lawful: "maxSurge and maxUnavailable are upper bounds.", Planner: doing(finishBatch)},
		{Name: "counts-available-pods-a-second-late", Says: "Takes a pod for available a second after its minReadySeconds.",
			Lawful: "A reaction may take five seconds.",
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				if spec.MinReadySeconds > 0 {
					spec.MinReadySeconds++
				}
			})},
		{Name: "names-pods-after-nodes", Says: "Names pods after their node and revision, so that one has the name of the one before, if that is gone.",
			Lawful: "No requirement says how pods are named.", Planner: remember(nameAfterNodes)},
		{Name: "own-tolerations-last", Says: "Puts the tolerations of daemon pods after those of the template, unless one of these has a limit in time.",
			Lawful: "Where none has a limit, their order means nothing.",
			Planner: changeCreated(func(pod *corev1.Pod) {
				if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool { return t.TolerationSeconds != nil }) {
					putOwnTolerationsLast(pod)
				}
			})},
		{Name: "hands-over-a-node-a-second", Says: "Deletes one replaced pod a second.",
			Lawful: "A pod a second is at work: see docs/verdicts.md.", Planner: remember(retireOne)},
		{Name: "clears-overtaken-pods-first", Says: "Surges no further while a pod of an overtaken rollout is on its way out, for three seconds at most.",
			Lawful: "A reaction may take five seconds.", Planner: remember(clearOvertaken)},
	}
}

// oneAtFirst is the limit, and one node until an updated pod is available.
func oneAtFirst(value *intstr.IntOrString, state plan.State, now time.Time) int {
	begun := slices.ContainsFunc(nodes(state), func(n *node) bool { return n.eligible && available(state, n.news, now) })
	if limit := scaled(value, eligibleNodes(state), true); begun {
		return limit
	}
	return 1
}

// finishBatch surges on no further node while one has an updated pod beside an available old one, and takes no further node down while one has no available pod.
func finishBatch(actions *plan.Actions, state plan.State, now time.Time) {
	all := nodes(state)
	if slices.ContainsFunc(all, func(n *node) bool { return n.eligible && len(n.news) > 0 && available(state, n.olds, now) }) {
		withoutCreations(actions, createdFor(plan.ReasonSurge))
	}
	if slices.ContainsFunc(all, func(n *node) bool { return n.unavailable(state, now) }) {
		withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
		actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), updatedFor(plan.ReasonOutdated))
	}
}

// nameAfterNodes gives pods the first name, of those that it has for a node and a revision, that no other pod has: none that is there, and none that is not the
// DaemonSet's and does not let it have the name.
func nameAfterNodes(m *memory[map[string]time.Time]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		asked := m.of(state)
		if *asked == nil {
			*asked = map[string]time.Time{}
		}
		taken := map[string]bool{}
		for _, pod := range state.Pods {
			taken[pod.Name] = true
			delete(*asked, pod.Name)
		}
		for _, creation := range actions.CreatePods {
			pod := creation.Pod
			const more = "-99"
			first := strings.TrimSuffix(within(state.DaemonSet.Name, "-"+creation.Node+"-"+creation.Hash+more), more)
			pod.GenerateName, pod.Name = "", first
			for next := 2; taken[pod.Name] || notGiven(*asked, pod.Name, now); next++ {
				pod.Name = fmt.Sprintf("%s-%d", first, next)
			}
			taken[pod.Name] = true
			if _, known := (*asked)[pod.Name]; !known {
				(*asked)[pod.Name] = now
			}
		}
	})
}

// notGiven reports whether a pod of that name was asked for so long ago that it would be there.
func notGiven(asked map[string]time.Time, name string, now time.Time) bool {
	at, known := asked[name]
	return known && now.Sub(at) > 2*time.Second
}

// retireOne deletes one pod whose successor is available, and the next a second later.
func retireOne(m *memory[time.Time]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		last, retires := m.of(state), deletedFor(plan.ReasonReplaced)
		if state.AwaitingOwnWrites {
			return
		}
		withoutDeletions(actions, func(deletion plan.PodDeletion) bool {
			if !retires(deletion) {
				return false
			}
			wait := last.Add(time.Second).Sub(now)
			if wait <= 0 {
				*last = now
				return false
			}
			comeBack(actions, wait)
			return true
		})
	})
}

// clearOvertaken surges no further while a pod is on its way out beside an available one.
func clearOvertaken(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		h, wanted := m.of(state), map[string]bool{}
		for _, n := range nodes(state) {
			for _, pod := range n.leaving {
				if !available(state, n.olds, now) {
					continue
				}
				wanted[string(pod.UID)] = true
				if h.held(string(pod.UID), 3*time.Second, now, actions) {
					withoutCreations(actions, createdFor(plan.ReasonSurge))
				}
			}
		}
		h.only(wanted)
	})
}
