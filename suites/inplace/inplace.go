// Package inplace has the specs of updates in place: pods that get other images instead of being replaced.
package inplace

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Where the first pods are up and the updates begin, and where something else begins.
const (
	begun history.Mark = "the updates begin"
	next  history.Mark = "the next part begins"
)

// Specs registers the family.
func Specs() {
	policy()
	images()
	recreated()
	initImages()
	unknown()
	limits()
	mixed()
	otherBounds()
	restarts()
	crashes()
	adopted()
	failedPatches()
	refused()
	refusedOnOne()
	takenBack()
	kubelets()
	statefulSets()
	setsUnderWay()
	repairedSets()
	repairedInPart()
	overtakenSets()
	leavingSets()
	surplusSets()
	recreatedSets()
	takenBackSets()
	crashedSets()
	lateSets()
	restartedSets()
	notScheduledSets()
	refusedSets()
	handPatchedSets()
	relabelled()
	conflicts()
	seldomSets()
	stagedSets()
	changedSets()
	closedSets()
	returnedSets()
	finishedSets()
	grownSets()
	meantime()
	edgesOfSets()
	belowThePartition()
	rewrittenSets()
	otherNames()
	injected()
}

// begin deploys the DaemonSet to n nodes, with updates in place and maxUnavailable 1, unless the edits say otherwise.
func begin(ctx context.Context, c *spec.Case, n int, edits ...Edit) *appsv1.DaemonSet {
	c.AddNodes(ctx, n)
	daemonSet := c.Deploy(ctx, append([]Edit{c.InPlaceIfPossible(), MaxUnavailable("1")}, edits...)...)
	c.Mark(begun)
	return daemonSet
}

// stayed asks that from the mark on no pod was created or deleted.
func stayed(mark history.Mark) []Matcher {
	return []Matcher{Never(After(PodCreated(), Marked(mark))), Never(After(PodDeleted(), Marked(mark)))}
}

// held returns the pods with the DaemonSet's images whose containers have not been restarted.
func held(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	c.Look(ctx, func(cluster *history.Cluster) {
		for _, pod := range cluster.UpdatedPods(daemonSet) {
			if history.IsLive(pod) && !history.IsReady(pod) {
				pods = append(pods, pod)
			}
		}
	})
	return pods
}

// observeAll has the kubelets say of the pods that are held that they have seen the update, though they have restarted nothing.
func observeAll(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) {
	for _, pod := range held(ctx, c, daemonSet) {
		c.Pods.ObserveUpdate(ctx, pod)
	}
}

// releaseAll restarts the containers of pods as they are patched, until the DaemonSet is rolled out or no more are patched.
func releaseAll(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) {
	for {
		rolledOut := RolledOut(daemonSet)
		var waiting *corev1.Pod
		done := false
		c.Await(ctx, Condition{Text: rolledOut.Text + ", or a pod waits for its restart", Unmet: func(cluster *history.Cluster) string {
			unmet := rolledOut.Unmet(cluster)
			if done = unmet == ""; done {
				return ""
			}
			for _, pod := range cluster.UpdatedPods(daemonSet) {
				if history.IsLive(pod) && len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].Image != pod.Spec.Containers[0].Image {
					waiting = pod
					return ""
				}
			}
			return unmet
		}})
		if waiting == nil {
			return
		}
		c.Pods.ReleaseRestart(ctx, waiting)
	}
}

// another changes the DaemonSet's container in something that is not its image.
func another(says string, change func(*corev1.PodTemplateSpec)) Edit {
	return Edit{Says: says, Apply: func(d *appsv1.DaemonSet) { change(&d.Spec.Template) }}
}

// allRolledOut holds when every DaemonSet is.
func allRolledOut() Condition { return state.EveryDaemonSetRolledOut() }
