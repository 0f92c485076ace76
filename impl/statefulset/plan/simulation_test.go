package plan_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/impl/seedtest"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/variants"
)

func TestMain(m *testing.M) { os.Exit(seedtest.Main(m.Run)) }

// TestNoScheduleCostsMoreThanOnePod draws schedules of updates, kubelets and lost pods. Whatever happens, no pod is updated before those with larger ordinals
// are, and none that serves before these serve, but for lost ones that wait for an update themselves; none below the partition is, and in the end all are.
func TestNoScheduleCostsMoreThanOnePod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if objection := simulate(t, plan.Plan); objection != "" {
			t.Fatal(objection)
		}
	})
}

// unseen are the broken variants that the simulation cannot find out: it does not look at how pods are updated, nor at what lost ones are made from, and has no
// process that ends.
func unseen() []string {
	return []string{
		"set-recreates-all", "set-patches-unasked", "set-patches-all-that-differs", "set-keeps-the-policy-of-the-update", "set-recreates-updated-below-the-partition",
		"set-forgets-in-a-crash", "set-keeps-no-revision-for-pods",
		// It has no ordinals of two digits, and no updated pod that is lost and takes long to go.
		"set-orders-by-name", "set-takes-no-notice-of-pods-that-go",
		// Nothing but images is changed in it, and never the number of pods, nor minReadySeconds; and every pod has a node.
		"set-compares-with-the-current-revision", "set-counts-pods-that-are-too-many-as-updated", "set-counts-pods-that-are-too-many-as-available", "set-keeps-min-ready-seconds-of-the-update",
		"set-updates-while-larger-ordinals-are-missing", "set-patches-pods-that-wait-for-a-node", "set-patches-init-containers", "set-patches-pods-of-lost-histories",
		// Its pods have one container, and its policy stays.
		"set-starts-over-with-all-of-an-unfinished-update", "set-takes-one-restart-for-all", "set-believes-pods-without-the-policy",
		// No pod below the partition is lost in it after two updates.
		"set-restores-lost-pods-of-the-revision-before",
		// It has no API server, no watch that is late, and no kubelet that comes late.
		"set-goes-by-its-cache-of-revisions", "set-deletes-what-is-refused", "set-insists-on-refused-patches", "set-deletes-what-could-not-be-patched", "set-takes-any-new-container", "set-waits-for-a-restart-that-is-not-due",
		"set-skips-what-is-refused", "set-takes-refusals-for-conflicts",
		// It has always pods, and these have one container.
		"set-keeps-the-revision-without-pods", "set-records-the-latest-update-alone",
		// Nobody else gives its pods images, and its kubelets see at once what is taken back. Package variants has a test of each.
		"set-expects-the-restarts-that-its-revisions-differ-by", "set-records-nothing-of-what-is-taken-back",
		// It looks at no status while a pod restarts, and every image starts.
		"set-believes-patched-pods-below-the-partition", "set-waits-for-no-repair",
		// Nobody changes labels of its pods, none becomes Ready again between its patch and its restart, and no watch is late.
		"set-recreates-pods-that-somebody-relabelled", "set-takes-regained-readiness-for-the-restart", "set-sends-a-patch-again-over-a-conflict",
		// No admission changes its pods.
		"set-patches-every-container-that-differs",
		// Nobody else writes its revisions.
		"set-compares-revisions-byte-by-byte",
		// No pod of it that was patched comes to be one too many, and the partition stays.
		"set-believes-patched-pods-that-are-too-many", "set-is-current-without-a-partition-only",
	}
}

// attempts is how many simulations a broken variant may survive, and a lawful one has to.
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

func TestLawfulPlannersAreNotObjectedTo(t *testing.T) {
	for _, v := range variants.Lawful() {
		t.Run(v.Name, func(t *testing.T) {
			if objection := objectionTo(v); objection != "" {
				t.Error(objection)
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
		set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: rapid.Int32Range(0, 2).Draw(t, "first ordinal")}
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
		before, current := maps.Clone(w.pods), w.set.Status.CurrentRevision
		w.judge(before, w.pass())
		if now := w.set.Status; now.CurrentRevision != current && int(now.UpdatedReplicas) != len(w.pods) {
			w.t.Fatalf("currentRevision is updateRevision with %d pods of %d updated", now.UpdatedReplicas, len(w.pods))
		}
	}
	w.edit(image("v9"), partition(w.set.Spec.Ordinals.Start))
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
		w.edit(partition(rapid.Int32Range(0, w.end()).Draw(t, "partition")))
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
		if w.protected(pod) {
			w.t.Fatalf("%s updated below the partition", pod.Name)
		}
		for above := ordinal(pod) + 1; above < w.end(); above++ {
			other := before[fmt.Sprintf("db-%d", above)]
			if other != nil && other.DeletionTimestamp == nil && w.old(other) {
				w.t.Fatalf("%s updated while db-%d is not", pod.Name, above)
			}
			if w.serves(before[pod.Name]) && !w.serves(other) && (other != nil || !w.waitsForUpdate(before, above)) {
				w.t.Fatalf("%s updated while db-%d does not serve", pod.Name, above)
			}
		}
	}
}

// end is the first ordinal above those of the pods.
func (w *world) end() int32 { return w.set.Spec.Ordinals.Start + *w.set.Spec.Replicas }

func ordinal(pod *corev1.Pod) int32 { return int32(pod.Name[len(pod.Name)-1] - '0') }

// protected reports whether the pod is below the partition.
func (w *world) protected(pod *corev1.Pod) bool {
	rolling := w.set.Spec.UpdateStrategy.RollingUpdate
	return rolling != nil && ordinal(pod) < *rolling.Partition
}

func (w *world) old(pod *corev1.Pod) bool {
	return pod.Spec.Containers[0].Image != w.set.Spec.Template.Spec.Containers[0].Image
}

// waitsForUpdate reports whether the pod with that ordinal cannot be created before an old pod below it, which does not serve, is updated.
func (w *world) waitsForUpdate(pods map[string]*corev1.Pod, missing int32) bool {
	if w.set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
		return false
	}
	for _, pod := range pods {
		if ordinal(pod) < missing && !w.protected(pod) && w.old(pod) && !w.serves(pod) {
			return true
		}
	}
	return false
}

// serves reports whether the pod runs what it asks for, as its kubelet says that has seen it, and has been Ready with it for minReadySeconds.
func (w *world) serves(pod *corev1.Pod) bool {
	if pod == nil || pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning || pod.Status.Conditions[0].Status != corev1.ConditionTrue {
		return false
	}
	container := pod.Status.ContainerStatuses[0]
	since := pod.Status.Conditions[0].LastTransitionTime.Time
	if since.Before(container.State.Running.StartedAt.Time) {
		since = container.State.Running.StartedAt.Time
	}
	return pod.Status.ObservedGeneration == pod.Generation && container.Image == pod.Spec.Containers[0].Image &&
		!since.Add(time.Duration(w.set.Spec.MinReadySeconds)*time.Second).After(w.now)
}
