package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// TestNoScheduleCostsMoreThanOnePod draws schedules of updates, kubelets and lost pods. Whatever happens, no pod that serves is updated before those with
// larger ordinals are and serve, none below the partition is, and in the end all are.
func TestNoScheduleCostsMoreThanOnePod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edits := []func(*appsv1.StatefulSet){func(set *appsv1.StatefulSet) {
			set.Spec.MinReadySeconds = rapid.Int32Range(0, 3).Draw(t, "minReadySeconds")
		}}
		if rapid.Bool().Draw(t, "in place") {
			edits = append(edits, inPlace)
		}
		if rapid.Bool().Draw(t, "parallel") {
			edits = append(edits, parallel)
		}
		w := newWorld(t, rapid.Int32Range(1, 4).Draw(t, "replicas"), edits...)
		w.settle()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.draw(t)
			before := maps.Clone(w.pods)
			w.judge(t, before, w.pass())
		}
		w.edit(image("v9"), partition(0))
		w.settle()
		for name, pod := range w.pods {
			if !w.serves(pod) || pod.Spec.Containers[0].Image != "db:v9" {
				t.Fatalf("in the end %s runs %s, serving %t", name, pod.Spec.Containers[0].Image, w.serves(pod))
			}
		}
		if len(w.pods) != int(*w.set.Spec.Replicas) {
			t.Fatalf("in the end there are %d pods of %d", len(w.pods), *w.set.Spec.Replicas)
		}
	})
}

// draw has something happen.
func (w *world) draw(t *rapid.T) {
	names := slices.Sorted(maps.Keys(w.pods))
	switch what := rapid.SampledFrom([]string{"kubelet", "kubelet", "kubelet", "time", "image", "partition", "lose"}).Draw(t, "what"); {
	case what == "time":
		w.now = w.now.Add(time.Second)
	case what == "image":
		w.edit(image(rapid.SampledFrom([]string{"v1", "v2", "v3", "broken"}).Draw(t, "image")))
	case what == "partition":
		w.edit(partition(rapid.Int32Range(0, *w.set.Spec.Replicas).Draw(t, "partition")))
	case len(names) > 0 && what == "kubelet":
		w.step(rapid.SampledFrom(names).Draw(t, "pod"))
	case len(names) > 0:
		delete(w.pods, rapid.SampledFrom(names).Draw(t, "pod"))
	}
}

// judge looks at what was done to pods, by what they were before.
func (w *world) judge(t *rapid.T, before map[string]*corev1.Pod, actions plan.Actions) {
	var acted []*corev1.Pod
	for _, update := range actions.UpdatePods {
		acted = append(acted, update.Pod)
	}
	acted = append(acted, actions.DeletePods...)
	if len(acted) > 1 {
		t.Fatalf("%d pods updated at once", len(acted))
	}
	for _, pod := range acted {
		ordinal := int(pod.Name[len(pod.Name)-1] - '0')
		if rolling := w.set.Spec.UpdateStrategy.RollingUpdate; rolling != nil && ordinal < int(*rolling.Partition) {
			t.Fatalf("%s updated below the partition", pod.Name)
		}
		if !w.serves(before[pod.Name]) {
			continue
		}
		for above := ordinal + 1; above < int(*w.set.Spec.Replicas); above++ {
			other := before[fmt.Sprintf("db-%d", above)]
			if !w.serves(other) || other.Spec.Containers[0].Image != w.set.Spec.Template.Spec.Containers[0].Image {
				t.Fatalf("%s updated while db-%d is not updated and serving", pod.Name, above)
			}
		}
	}
}
