package variants

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenOverlooked do what a reader of the specs found that none of them would have seen.
func brokenOverlooked() []Variant {
	return []Variant{
		{Name: "old-pods-keep-the-min-ready-seconds-of-the-rollout",
			Says:   "Measures old pods by the minReadySeconds that there were when the template was changed.",
			Breaks: []string{"AVAIL-007", "UNREADY-010"}, Planner: remember(keepSecondsOfRollout)},
		{Name: "hands-over-in-a-second", Says: "Gives deleted pods a second to end, on simulated nodes, too.",
			Breaks: []string{"DRAIN-004"},
			Writer: deletingPods(func(*corev1.Pod) client.DeleteOption { return client.GracePeriodSeconds(1) })},
		{Name: "notes-the-template-on-pods-of-namesakes", Says: "Writes the revision of a pod that it creates on the pods of DaemonSets of the same name in other namespaces.",
			Breaks: []string{"ROLLING-019"}, Writer: func(c client.Client) client.Client { return namesakes{c} }},
		{Name: "counts-pods-on-their-way-out-as-available", Says: "Counts a Ready pod as available that is terminating, though not as ready.",
			Breaks: []string{"STATUS-009"}, Planner: reporting(countLeaving)},
		{Name: "writes-the-status-when-the-labels-change", Says: "Writes the status of a DaemonSet whenever its labels or annotations change, whatever is stored.",
			Breaks: []string{"STATUS-012"}, Planner: remember(answerMetadata)},
	}
}

func countLeaving(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
	for _, n := range nodes(state) {
		saysReady := func(pod *corev1.Pod) bool { return ready(pod) != nil && ready(pod).Status == corev1.ConditionTrue }
		if n.eligible && slices.ContainsFunc(n.leaving, saysReady) && !slices.ContainsFunc(slices.Concat(n.olds, n.news), plan.IsReady) {
			status.NumberAvailable++
			status.NumberUnavailable--
		}
	}
}

// metadataSeen are the labels and annotations of the last pass.
type metadataSeen struct{ text string }

func answerMetadata(m *memory[metadataSeen]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		seen, text := m.of(state), fmt.Sprint(state.DaemonSet.Labels, state.DaemonSet.Annotations)
		if seen.text != "" && seen.text != text && actions.Status == nil {
			actions.Status = state.DaemonSet.Status.DeepCopy()
		}
		seen.text = text
	})
}

// secondsOfRollout are the minReadySeconds that there were when the template was first seen.
type secondsOfRollout struct {
	template string
	seconds  int32
}

func keepSecondsOfRollout(m *memory[secondsOfRollout]) Around {
	return deciding(func(state *plan.State, now time.Time) {
		s, template, present := m.of(*state), templateHashOf(*state), state.DaemonSet.Spec.MinReadySeconds
		if s.template != template {
			*s = secondsOfRollout{template, present}
		}
		if present <= s.seconds {
			return
		}
		isUpdated, first := updated(*state), time.Duration(s.seconds)*time.Second
		isOld := func(pod *corev1.Pod) bool { return plan.IsReady(pod) && !isUpdated(pod) }
		changePods(state, isOld, func(pod *corev1.Pod) {
			if since := ready(pod).LastTransitionTime.Time; !since.Add(first).After(now) {
				setReady(pod, now.Add(-time.Duration(present)*time.Second))
			}
		})
	})
}

// namesakes takes the name of a DaemonSet for the DaemonSet.
type namesakes struct{ client.Client }

func (c namesakes) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if err := c.Client.Create(ctx, object, options...); err != nil {
		return err
	}
	owner := metav1.GetControllerOf(object)
	if _, isPod := object.(*corev1.Pod); !isPod || owner == nil {
		return nil
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods); err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if of := metav1.GetControllerOf(pod); of == nil || of.Name != owner.Name || pod.Namespace == object.GetNamespace() {
			continue
		}
		before := pod.DeepCopy()
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "rollcall.dev/of", object.GetLabels()[plan.HashLabel])
		if err := c.Patch(ctx, pod, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}
