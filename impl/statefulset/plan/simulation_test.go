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
	"github.com/rollcall-conformance/rollcall/impl/statefulset/variants"
)

// TestNoScheduleCostsMoreThanOnePod draws schedules of updates, kubelets and lost pods. Whatever happens, no pod that serves is updated before those with
// larger ordinals are and serve, none below the partition is, and in the end all are.
func TestNoScheduleCostsMoreThanOnePod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if objection := simulate(t, plan.Plan); objection != "" {
			t.Fatal(objection)
		}
	})
}

// unseen are the broken variants that the simulation cannot find out: it does not look at how pods are updated, has no
// process that ends, and kubelets that make a pod unready while it restarts too seldom.
func unseen() []string {
	return []string{"set-recreates-all", "set-patches-unasked", "set-patches-all-that-differs", "set-forgets-in-a-crash", "set-counts-from-before-the-restart"}
}

// attempts is how many simulations a broken variant may survive.
const attempts = 300

func TestBrokenPlannersAreFoundOut(t *testing.T) {
	for _, v := range variants.Broken() {
		if slices.Contains(unseen(), v.Name) {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			if objection := objectionTo(v); objection == "" {
				t.Errorf("%s: not found out in %d simulations", v.Says, attempts)
			} else {
				t.Log(objection)
			}
		})
	}
}

// objectionTo is the first that simulations have to the variant; empty if none has any.
func objectionTo(v variants.Variant) string {
	drawn := rapid.Custom(func(t *rapid.T) string { return simulate(t, v.Planner(plan.Plan)) })
	for i := range attempts {
		if objection := drawn.Example(i); objection != "" {
			return fmt.Sprintf("simulation %d: %s", i, objection)
		}
	}
	return ""
}

// objection is what a world panics with.
type objection string

// objecting has whatever a world finds become an objection.
type objecting struct{}

func (objecting) Helper() {}

func (objecting) Fatalf(format string, args ...any) { panic(objection(fmt.Sprintf(format, args...))) }

// simulate runs one schedule, and returns what is wrong with what was planned; empty if nothing.
func simulate(t *rapid.T, planner plan.Planner) (wrong string) {
	defer func() {
		if raised := recover(); raised != nil {
			found, ours := raised.(objection)
			if !ours {
				panic(raised)
			}
			wrong = string(found)
		}
	}()
	edits := []func(*appsv1.StatefulSet){func(set *appsv1.StatefulSet) {
		set.Spec.MinReadySeconds = rapid.Int32Range(0, 3).Draw(t, "minReadySeconds")
	}}
	if rapid.Bool().Draw(t, "in place") {
		edits = append(edits, inPlace)
	}
	if rapid.Bool().Draw(t, "parallel") {
		edits = append(edits, parallel)
	}
	w := newWorld(objecting{}, rapid.Int32Range(1, 4).Draw(t, "replicas"), edits...)
	w.planner = planner
	w.settle()
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		w.draw(t)
		before := maps.Clone(w.pods)
		w.judge(before, w.pass())
	}
	w.edit(image("v9"), partition(0))
	w.settle()
	for name, pod := range w.pods {
		if !w.serves(pod) || pod.Spec.Containers[0].Image != "db:v9" {
			w.t.Fatalf("in the end %s runs %s, serving %t", name, pod.Spec.Containers[0].Image, w.serves(pod))
		}
	}
	if len(w.pods) != int(*w.set.Spec.Replicas) {
		w.t.Fatalf("in the end there are %d pods of %d", len(w.pods), *w.set.Spec.Replicas)
	}
	return ""
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
func (w *world) judge(before map[string]*corev1.Pod, actions plan.Actions) {
	var acted []*corev1.Pod
	for _, update := range actions.UpdatePods {
		acted = append(acted, update.Pod)
	}
	acted = append(acted, actions.DeletePods...)
	if len(acted) > 1 {
		w.t.Fatalf("%d pods updated at once", len(acted))
	}
	for _, pod := range acted {
		ordinal := int(pod.Name[len(pod.Name)-1] - '0')
		if rolling := w.set.Spec.UpdateStrategy.RollingUpdate; rolling != nil && ordinal < int(*rolling.Partition) {
			w.t.Fatalf("%s updated below the partition", pod.Name)
		}
		if !w.serves(before[pod.Name]) {
			continue
		}
		for above := ordinal + 1; above < int(*w.set.Spec.Replicas); above++ {
			other := before[fmt.Sprintf("db-%d", above)]
			if !w.serves(other) || other.Spec.Containers[0].Image != w.set.Spec.Template.Spec.Containers[0].Image {
				w.t.Fatalf("%s updated while db-%d is not updated and serving", pod.Name, above)
			}
		}
	}
}
