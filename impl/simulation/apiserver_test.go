package simulation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// namespace is the only one that there is.
const namespace = "simulated"

// What a caller branches on.
var (
	errNotFound = errors.New("not found")
	errConflict = errors.New("conflict")
	errExists   = errors.New("already exists")
	// errInvalid is what the API server accepts from nobody.
	errInvalid = errors.New("invalid: only one owner may be the controller")
)

// apiServer stores the objects, by kind and name. Resource versions count all changes, so they order them. Stored objects are never changed
// in place; every change is recorded and told to the watchers.
type apiServer struct {
	clock   *clock
	version uint64
	created int
	objects map[history.Kind]map[string]history.Object
	entries []history.Entry
	stimuli int
	// uncounted: pods have no generation.
	uncounted bool
	// write writes the DaemonSet in its form.
	write    func(*appsv1.DaemonSet)
	watchers []func(history.Entry)
}

func newAPIServer(clock *clock) *apiServer {
	objects := map[history.Kind]map[string]history.Object{}
	for _, kind := range kinds() {
		objects[kind] = map[string]history.Object{}
	}
	return &apiServer{clock: clock, objects: objects}
}

func kinds() []history.Kind {
	return []history.Kind{history.KindDaemonSet, history.KindControllerRevision, history.KindNode, history.KindPod}
}

// lookUp returns the object of that name, or nil.
func lookUp[T history.Object](objects map[history.Kind]map[string]history.Object, kind history.Kind, name string) T {
	object, _ := objects[kind][name].(T)
	return object
}

// listOf returns the objects of a kind in the order of their names.
func listOf[T history.Object](objects map[history.Kind]map[string]history.Object, kind history.Kind) []T {
	list := make([]T, 0, len(objects[kind]))
	for _, name := range slices.Sorted(maps.Keys(objects[kind])) {
		list = append(list, objects[kind][name].(T))
	}
	return list
}

func (a *apiServer) pod(name string) *corev1.Pod {
	return lookUp[*corev1.Pod](a.objects, history.KindPod, name)
}

func (a *apiServer) node(name string) *corev1.Node {
	return lookUp[*corev1.Node](a.objects, history.KindNode, name)
}

func (a *apiServer) daemonSet() *appsv1.DaemonSet {
	return lookUp[*appsv1.DaemonSet](a.objects, history.KindDaemonSet, daemonSetName)
}

func (a *apiServer) pods() []*corev1.Pod   { return listOf[*corev1.Pod](a.objects, history.KindPod) }
func (a *apiServer) nodes() []*corev1.Node { return listOf[*corev1.Node](a.objects, history.KindNode) }
func (a *apiServer) revisions() []*appsv1.ControllerRevision {
	return listOf[*appsv1.ControllerRevision](a.objects, history.KindControllerRevision)
}

// create stores object, which becomes the API server's, under its name or one made from its generateName.
func (a *apiServer) create(kind history.Kind, object history.Object) error {
	a.created++
	if object.GetName() == "" {
		object.SetName(fmt.Sprintf("%s%d", object.GetGenerateName(), a.created))
	}
	if a.objects[kind][object.GetName()] != nil {
		return fmt.Errorf("create %s %s: %w", kind, object.GetName(), errExists)
	}
	if severalControllers(object) {
		return fmt.Errorf("create %s %s: %w", kind, object.GetName(), errInvalid)
	}
	object.SetUID(types.UID(fmt.Sprintf("uid-%d", a.created)))
	object.SetCreationTimestamp(metav1.NewTime(a.clock.now.Truncate(time.Second)))
	if kind != history.KindNode {
		object.SetNamespace(namespace)
	}
	if kind == history.KindPod && !a.uncounted {
		object.SetGeneration(1)
	}
	a.store(watch.Added, kind, object)
	return nil
}

// update lets change edit the stored object; an edit that changes nothing is no event, as on a real API server.
func (a *apiServer) update(kind history.Kind, name string, change func(history.Object) error) error {
	before := a.objects[kind][name]
	if before == nil {
		return fmt.Errorf("update %s %s: %w", kind, name, errNotFound)
	}
	after := before.DeepCopyObject().(history.Object)
	if err := change(after); err != nil {
		return fmt.Errorf("update %s %s: %w", kind, name, err)
	}
	switch {
	case unchanged(before, after):
		return nil
	case severalControllers(after):
		return fmt.Errorf("update %s %s: %w", kind, name, errInvalid)
	}
	a.store(watch.Modified, kind, after)
	if after.GetDeletionTimestamp() != nil && len(after.GetFinalizers()) == 0 && kind != history.KindPod {
		a.remove(kind, name)
	}
	return nil
}

// severalControllers reports whether more than one owner says that it is the controller.
func severalControllers(object metav1.Object) bool {
	controllers := 0
	for _, owner := range object.GetOwnerReferences() {
		if owner.Controller != nil && *owner.Controller {
			controllers++
		}
	}
	return controllers > 1
}

// unchanged reports whether an edit changed nothing. Most change the status, which is looked at first.
func unchanged(before, after history.Object) bool {
	switch before := before.(type) {
	case *corev1.Pod:
		if !same(before.Status, after.(*corev1.Pod).Status) {
			return false
		}
	case *appsv1.DaemonSet:
		if !same(before.Status, after.(*appsv1.DaemonSet).Status) {
			return false
		}
	}
	return same(before, after)
}

// updatePod is update for what happens to pods whether or not they are still there.
func (a *apiServer) updatePod(name string, change func(*corev1.Pod)) {
	if a.pod(name) == nil {
		return
	}
	// The change cannot fail and the pod exists.
	_ = a.update(history.KindPod, name, func(object history.Object) error {
		change(object.(*corev1.Pod))
		return nil
	})
}

// deletePod deletes gracefully: a pod that nothing runs, or has ended, goes at once, any other when its kubelet says so. The
// conditions are those of the API: an empty UID or resource version asks for none.
func (a *apiServer) deletePod(name string, uid types.UID, version string) error {
	pod := a.pod(name)
	switch {
	case pod == nil:
		return fmt.Errorf("delete pod %s: %w", name, errNotFound)
	case uid != "" && pod.UID != uid, version != "" && pod.ResourceVersion != version:
		return fmt.Errorf("delete pod %s: %w", name, errConflict)
	case pod.Spec.NodeName == "" || history.IsTerminal(pod):
		a.remove(history.KindPod, name)
	case pod.DeletionTimestamp == nil:
		grace := int64(30)
		deadline := metav1.NewTime(a.clock.now.Add(30 * time.Second).Truncate(time.Second))
		a.updatePod(name, func(pod *corev1.Pod) {
			pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &deadline, &grace
		})
	}
	return nil
}

// remove takes an object away for good.
func (a *apiServer) remove(kind history.Kind, name string) {
	object := a.objects[kind][name]
	if object == nil {
		return
	}
	delete(a.objects[kind], name)
	a.emit(watch.Deleted, kind, object.DeepCopyObject().(history.Object))
}

func (a *apiServer) store(event watch.EventType, kind history.Kind, object history.Object) {
	a.objects[kind][object.GetName()] = object
	a.emit(event, kind, object)
}

func (a *apiServer) emit(event watch.EventType, kind history.Kind, object history.Object) {
	a.version++
	object.SetResourceVersion(strconv.FormatUint(a.version, 10))
	entry := history.Entry{
		ResourceVersion: a.version, Received: a.clock.now.Sub(epoch), Time: a.clock.now, Type: event, Kind: kind, Object: object,
	}
	if kind == history.KindPod && event == watch.Added {
		// No admission changes what was sent, whoever it was.
		entry.Author = &history.Author{Who: history.Unknown, Verb: "create"}
	}
	a.entries = append(a.entries, entry)
	for _, told := range a.watchers {
		told(entry)
	}
}

// note records a stimulus; it has to be called before the act.
func (a *apiServer) note(stimulus history.Stimulus) {
	a.stimuli++
	stimulus.Number = a.stimuli
	a.entries = append(a.entries, history.Entry{
		ResourceVersion: a.version, Received: a.clock.now.Sub(epoch), Time: a.clock.now, Stimulus: &stimulus,
	})
}

// noteControl records an act on the implementation, which ends at once.
func (a *apiServer) noteControl(stimulus history.Stimulus, do func()) {
	a.note(stimulus)
	number := a.stimuli
	do()
	a.entries = append(a.entries, history.Entry{
		ResourceVersion: a.version, Received: a.clock.now.Sub(epoch), Time: a.clock.now, Outcome: &history.Outcome{Stimulus: number},
	})
}

// notePod records a stimulus on a pod.
func (a *apiServer) notePod(act history.Act, pod *corev1.Pod) {
	a.note(history.Stimulus{
		Act: act, Kind: history.KindPod, Namespace: namespace, Name: pod.Name, UID: pod.UID, Node: history.NodeOf(pod),
	})
}

// noteNode records a stimulus on a node.
func (a *apiServer) noteNode(act history.Act, name string) {
	stimulus := history.Stimulus{Act: act, Kind: history.KindNode, Name: name, Node: name}
	if node := a.node(name); node != nil {
		stimulus.UID = node.UID
	}
	a.note(stimulus)
}

// history returns everything that happened, as a recorder would have recorded it.
func (a *apiServer) history(seed uint64) *history.History {
	return &history.History{
		Header: history.Header{
			Version: history.FormatVersion, Scenario: "simulation", Start: epoch, Namespaces: []string{namespace},
			Kinds: kinds(), RevisionLabel: appsv1.DefaultDaemonSetUniqueLabelKey, Seed: int64(seed),
		},
		Entries:  a.entries,
		CaughtUp: true,
	}
}

// versionOf reads a resource version back as a number; objects from this API server always have one.
func versionOf(object history.Object) uint64 {
	version, _ := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	return version
}
