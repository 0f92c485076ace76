package inplace

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// beginBoth deploys the two StatefulSets, of two pods each that are to be updated in place, and marks that.
func beginBoth(ctx context.Context, c *spec.Case) {
	c.AddNodes(ctx, 1)
	inPlace := OfPods(c.InPlaceIfPossible())
	c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
	c.Mark(begun)
}

func updateBoth(ctx context.Context, c *spec.Case, edits ...SetEdit) {
	for _, set := range both() {
		c.UpdateStatefulSet(ctx, set, edits...)
	}
}

// patched waits until the pod with the ordinal has been patched to v2, and returns it.
func patched(ctx context.Context, c *spec.Case, set string, ordinal int) *corev1.Pod {
	c.Require(ctx, "a pod is patched", MemberIs(set, ordinal, "is patched", OfTag("v2")))
	return c.MembersOf(ctx, set, OfTag("v2"))[0]
}

// release restarts the containers of the pods with the ordinals, one after the other, as they are patched to the image with the tag.
func release(ctx context.Context, c *spec.Case, tag string, sets []string, ordinals ...int) {
	for _, ordinal := range ordinals {
		for _, set := range sets {
			if !c.Await(ctx, MemberIs(set, ordinal, "is patched", OfTag(tag))) {
				return
			}
			for _, pod := range c.MembersOf(ctx, set, OfTag(tag), NotReady) {
				c.Pods.ReleaseRestart(ctx, pod)
			}
		}
	}
}

// memberOf returns the StatefulSet's live pod with the ordinal.
func memberOf(ctx context.Context, c *spec.Case, set string, ordinal int) *corev1.Pod {
	name := fmt.Sprintf("%s-%d", set, ordinal)
	c.Require(ctx, "the pod is there", MemberIs(set, ordinal, "is there"))
	return c.MembersOf(ctx, set, func(pod *corev1.Pod) bool { return pod.Name == name })[0]
}

func member(set string, ordinal int) Which { return Named(fmt.Sprintf("%s-%d", set, ordinal)) }

// theLastPodsGo holds when the StatefulSets have no live pods but those with the first two ordinals.
func theLastPodsGo() Condition {
	return state.When("no third pod is live", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if history.IsLive(pod) && strings.HasSuffix(pod.Name, "-2") {
				return false
			}
		}
		return true
	})
}

// updatesAreUnderWay holds when no status says that an update is over.
func updatesAreUnderWay() Condition {
	return state.When("no StatefulSet's status says that the update is over", func(cluster *history.Cluster) bool {
		for _, object := range cluster.Objects(history.KindStatefulSet) {
			if set, isSet := object.(*appsv1.StatefulSet); isSet && set.Status.CurrentRevision == set.Status.UpdateRevision {
				return false
			}
		}
		return true
	})
}

// updatesAreOver holds when every StatefulSet's status says that its update is.
func updatesAreOver() Condition {
	return state.When("every StatefulSet's status says that the update is over", func(cluster *history.Cluster) bool {
		for _, object := range cluster.Objects(history.KindStatefulSet) {
			if set, isSet := object.(*appsv1.StatefulSet); isSet && set.Status.CurrentRevision != set.Status.UpdateRevision {
				return false
			}
		}
		return true
	})
}

// oneIsAvailable holds when every StatefulSet's status says that one of its pods is available.
func oneIsAvailable() Condition {
	return state.When("the status of every StatefulSet counts one pod as available", func(cluster *history.Cluster) bool {
		for _, object := range cluster.Objects(history.KindStatefulSet) {
			if set, isSet := object.(*appsv1.StatefulSet); isSet && set.Status.AvailableReplicas != 1 {
				return false
			}
		}
		return true
	})
}

func setsEndRolledOut() Matcher { return ComesToHold(state.StatefulSetsRolledOut()) }
