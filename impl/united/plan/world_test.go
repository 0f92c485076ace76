package plan_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

const (
	namespace = "ns"
	zone      = "zone"
)

// world is a cluster with one target, in which nothing happens but by step.
type world struct {
	united    *api.UnitedDaemonSet
	sets      map[string]*appsv1.DaemonSet
	nodes     map[string]*corev1.Node
	pods      map[types.UID]*corev1.Pod
	revisions map[string]*appsv1.ControllerRevision
	written   map[types.UID]plan.Written
	made      int
	now       time.Time
}

func newWorld(nodes int, strategy appsv1.DaemonSetUpdateStrategy) *world {
	w := &world{
		sets: map[string]*appsv1.DaemonSet{}, nodes: map[string]*corev1.Node{}, pods: map[types.UID]*corev1.Pod{},
		revisions: map[string]*appsv1.ControllerRevision{}, written: map[types.UID]plan.Written{}, now: time.Unix(1e9, 0),
	}
	for i := range nodes {
		name := fmt.Sprintf("node-%d", i)
		w.nodes[name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{zone: fmt.Sprintf("z%d", i%3)}}}
	}
	labels := map[string]string{"app": "daemon"}
	w.create(&appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "daemon"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, UpdateStrategy: strategy,
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "daemon", Image: "v1"}}}},
		},
	})
	return w
}

func (w *world) target() *appsv1.DaemonSet { return w.sets["daemon"] }

func (w *world) uid() types.UID {
	w.made++
	return types.UID(fmt.Sprintf("uid-%06d", w.made))
}

func (w *world) create(ds *appsv1.DaemonSet) {
	ds = ds.DeepCopy()
	ds.UID, ds.Generation, ds.ResourceVersion = w.uid(), 1, "1"
	w.sets[ds.Name] = ds
}

func (w *world) unite(subsets ...api.Subset) {
	if w.united == nil {
		w.united = &api.UnitedDaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "united", UID: w.uid()}}
		w.united.Spec.TargetRef = api.TargetRef{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "daemon"}
	}
	w.united.Generation++
	w.united.Spec.Subsets = subsets
}

func (w *world) separate() {
	now := metav1.NewTime(w.now)
	w.united.DeletionTimestamp = &now
}

func image(tag string) api.Patch {
	return api.Patch{Template: &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"spec":{"containers":[{"name":"daemon","image":%q}]}}`, tag)}}
}

func named(name string, patch api.Patch, nodes ...string) api.Subset {
	return api.Subset{Name: name, Patch: patch, Selector: api.Selector{Names: nodes}}
}

func rolling(surge, unavailable int32) appsv1.DaemonSetUpdateStrategy {
	maxSurge, maxUnavailable := intstr.FromInt32(surge), intstr.FromInt32(unavailable)
	return appsv1.DaemonSetUpdateStrategy{
		Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &maxSurge, MaxUnavailable: &maxUnavailable},
	}
}

func (w *world) state() plan.State {
	sorted := func(names map[string]*corev1.Node) []*corev1.Node {
		var all []*corev1.Node
		for _, name := range slices.Sorted(maps.Keys(names)) {
			all = append(all, names[name])
		}
		return all
	}
	state := plan.State{United: w.united, Nodes: sorted(w.nodes), Written: w.written}
	for _, name := range slices.Sorted(maps.Keys(w.sets)) {
		state.DaemonSets = append(state.DaemonSets, w.sets[name])
	}
	for _, uid := range slices.Sorted(maps.Keys(w.pods)) {
		state.Pods = append(state.Pods, w.pods[uid])
	}
	for _, name := range slices.Sorted(maps.Keys(w.revisions)) {
		state.Revisions = append(state.Revisions, w.revisions[name])
	}
	return state
}

// writes are what the planner wants done now, each of which can be the last.
func (w *world) writes() []func() {
	if w.united == nil {
		return nil
	}
	actions := plan.Plan(w.state(), w.now)
	var all []func()
	do := func(write func()) { all = append(all, write) }
	if actions.AddFinalizer {
		do(func() { w.united.Finalizers = []string{plan.Finalizer} })
	}
	for _, write := range actions.Subsets {
		do(func() { w.write(write) })
	}
	if ds := actions.UpdateTarget; ds != nil {
		do(func() { w.update(ds) })
	}
	for _, label := range actions.RelabelPods {
		do(func() {
			if pod := w.pods[label.Pod.UID]; pod != nil {
				pod = pod.DeepCopy()
				pod.Labels[daemons.HashLabel] = label.Hash
				w.pods[pod.UID] = pod
			}
		})
	}
	for _, labels := range actions.LabelNodes {
		do(func() { w.label(labels) })
	}
	for _, ds := range actions.Delete {
		do(func() { w.remove(ds) })
	}
	if actions.Status != nil {
		do(func() { w.united.Status = *actions.Status })
	}
	if actions.DropFinalizer {
		do(func() { w.united = nil })
	}
	return all
}

func (w *world) write(write plan.SubsetWrite) {
	if write.DaemonSet.ResourceVersion == "" {
		w.create(write.DaemonSet)
	} else {
		w.update(write.DaemonSet)
	}
	ds := w.sets[write.DaemonSet.Name]
	w.written[ds.UID] = plan.Written{Hash: write.Hash, Generation: ds.Generation}
}

func (w *world) update(ds *appsv1.DaemonSet) {
	before := w.sets[ds.Name]
	ds = ds.DeepCopy()
	ds.Generation = before.Generation
	if encoded(ds.Spec) != encoded(before.Spec) {
		ds.Generation++
	}
	w.sets[ds.Name] = ds
}

func (w *world) label(labels plan.NodeLabels) {
	node := w.nodes[labels.Node.Name].DeepCopy()
	for key, value := range labels.Labels {
		delete(node.Labels, key)
		if value != nil {
			node.Labels[key] = *value
		}
	}
	w.nodes[node.Name] = node
}

// remove deletes the DaemonSet and, as the garbage collector does, its pods.
func (w *world) remove(ds *appsv1.DaemonSet) {
	delete(w.sets, ds.Name)
	for _, pod := range w.podsOf(ds) {
		w.terminate(pod)
	}
}

func (w *world) podsOf(ds *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, uid := range slices.Sorted(maps.Keys(w.pods)) {
		if metav1.IsControlledBy(w.pods[uid], ds) {
			pods = append(pods, w.pods[uid])
		}
	}
	return pods
}

func (w *world) podsOn(node string) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, uid := range slices.Sorted(maps.Keys(w.pods)) {
		if daemons.TargetNode(w.pods[uid]) == node {
			pods = append(pods, w.pods[uid])
		}
	}
	return pods
}

func (w *world) terminate(pod *corev1.Pod) {
	now := metav1.NewTime(w.now)
	pod = pod.DeepCopy()
	pod.DeletionTimestamp = &now
	w.pods[pod.UID] = pod
}

// daemonSet is a pass of the DaemonSet controller's planner.
func (w *world) daemonSet(name string) {
	ds := w.sets[name]
	if ds == nil {
		return
	}
	actions := daemons.Plan(daemons.State{DaemonSet: ds, Nodes: w.state().Nodes, Pods: w.podsOf(ds), Revisions: w.revisionsOf(ds), Backoff: map[string]daemons.Backoff{}}, w.now)
	if revision := actions.CreateRevision; revision != nil {
		revision = revision.DeepCopy()
		revision.UID = w.uid()
		w.revisions[revision.Name] = revision
	}
	for _, update := range actions.UpdateRevisions {
		w.revisions[update.Revision.Name] = update.Revision
	}
	for _, revision := range actions.DeleteRevisions {
		delete(w.revisions, revision.Name)
	}
	for _, deletion := range actions.DeletePods {
		w.terminate(deletion.Pod)
	}
	for _, creation := range actions.CreatePods {
		pod := creation.Pod.DeepCopy()
		pod.UID = w.uid()
		pod.Name, pod.Namespace = string(pod.UID), namespace
		w.pods[pod.UID] = pod
	}
	if actions.Status != nil {
		ds = ds.DeepCopy()
		ds.Status = *actions.Status
		w.sets[name] = ds
	}
}

func (w *world) revisionsOf(ds *appsv1.DaemonSet) []*appsv1.ControllerRevision {
	var all []*appsv1.ControllerRevision
	for _, name := range slices.Sorted(maps.Keys(w.revisions)) {
		if metav1.IsControlledBy(w.revisions[name], ds) {
			all = append(all, w.revisions[name])
		}
	}
	return all
}

// kubelet lets one pod on the node get on: what terminates goes, what does not becomes Ready.
func (w *world) kubelet(node string) {
	for _, pod := range w.podsOn(node) {
		switch {
		case pod.DeletionTimestamp != nil:
			delete(w.pods, pod.UID)
			return
		case pod.Spec.NodeName == "":
			pod = pod.DeepCopy()
			pod.Spec.NodeName = node
			pod.Status.Phase = corev1.PodRunning
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.now)}}
			w.pods[pod.UID] = pod
			return
		}
	}
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
