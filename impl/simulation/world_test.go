package simulation

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// setup is what a simulation begins with. It is printed when one fails.
type setup struct {
	Seed     uint64
	Nodes    int
	Strategy strategy
	// Form is the name of the form in which the DaemonSet is written all the time, but for its name; empty for the plain one.
	Form string
	// InPlace: the DaemonSet asks for updates in place.
	InPlace bool
	// Shared: acts choose as on a real control plane (suites/stress), so that a schedule does the same in both.
	Shared bool
	// Uncounted: pods have no generation, as before Kubernetes 1.33.
	Uncounted       bool
	MinReadySeconds int32
	HistoryLimit    int32
	// Lag is the most that the controller's cache is behind: less than judge.Lag, beyond which nobody could keep the promises.
	Lag  time.Duration
	Pace pace
}

// world is a whole simulated cluster with its controller.
type world struct {
	setup      setup
	clock      *clock
	api        *apiServer
	kubelets   *kubelets
	scheduler  *scheduler
	collector  *garbageCollector
	controller *controller

	// templates are those that the DaemonSet has had, or one of its name before it.
	templates []corev1.PodTemplateSpec
	joined    int
	// taken is how often the name of a history was taken by another one.
	taken int32
	// owners is how often an object got an owner that is not its controller.
	owners int
	// foreign: somebody wrote a condition into the status.
	foreign bool
	// objection is the first thing that an act found wrong.
	objection error
}

func newWorld(s setup, around variants.Around) *world {
	w := &world{setup: s, clock: newClock()}
	chance := chance(s.Seed)
	w.api = newAPIServer(w.clock)
	w.api.uncounted, w.api.write = s.Uncounted, written(s.Form)
	w.kubelets = newKubelets(w.clock, w.api, chance, s.Pace)
	w.scheduler = newScheduler(w.clock, w.api, chance)
	w.collector = newGarbageCollector(w.clock, w.api, chance)
	w.collector.collected = w.deploy
	w.controller = newController(w.clock, w.api, chance, s.Lag, around)
	for range s.Nodes {
		w.join()
	}
	w.createPod(somebodysPod(), "node-1")
	w.createPod(nobodysPod(), "node-1")
	w.deploy()
	w.controller.start()
	return w
}

// deploy creates the DaemonSet.
func (w *world) deploy() {
	w.api.note(history.Stimulus{Act: history.CreateDaemonSet, Kind: history.KindDaemonSet, Namespace: namespace, Name: daemonSetName})
	ds := newDaemonSet(w.setup.Strategy, w.setup.MinReadySeconds, w.setup.HistoryLimit)
	if w.setup.InPlace {
		ds.Annotations[inplace.Policy] = inplace.IfPossible
		// It has one from the beginning, so that an update may change nothing but its image (INPLACE-005).
		ds.Spec.Template.Spec.InitContainers = initContainer("init:v1")
	}
	w.api.write(ds)
	if len(w.templates) == 0 {
		w.templates = []corev1.PodTemplateSpec{ds.Spec.Template}
	}
	// No other has the name.
	_ = w.api.create(history.KindDaemonSet, ds)
}

// join adds a node; every second one is in another pool.
func (w *world) join() {
	w.joined++
	w.addNode(fmt.Sprintf("node-%d", w.joined), fmt.Sprintf("pool-%d", w.joined%2))
}

func (w *world) addNode(name, pool string) {
	w.api.noteNode(history.AddNode, name)
	// The caller knows that there is none of that name.
	_ = w.api.create(history.KindNode, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{corev1.LabelHostname: name, poolLabel: pool},
	}})
}

// createPod creates a pod that no controller under test created.
func (w *world) createPod(pod *corev1.Pod, node string) {
	w.api.note(history.Stimulus{Act: history.CreatePod, Kind: history.KindPod, Namespace: namespace, Name: pod.Name, Node: node})
	pod.Spec.NodeName = node
	// A second one of the same name is not wanted.
	_ = w.api.create(history.KindPod, pod)
}

// somebodysPod looks like one of the DaemonSet but has another controller.
func somebodysPod() *corev1.Pod {
	controls := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "somebodys", Labels: map[string]string{appLabel: daemonSetName},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "somebody", UID: "somebody", Controller: &controls}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "daemon", Image: "daemon:v1"}}},
	}
}

// nobodysPod has no controller and is not selected by any.
func nobodysPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "nobodys", Labels: map[string]string{appLabel: "another"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "another", Image: "another:v1"}}},
	}
}

// steps counts changes of the cluster, acts of the environment, and passes of the planner.
func (w *world) steps() int { return len(w.api.entries) + w.controller.passes }

// advance lets time pass.
func (w *world) advance(d time.Duration) {
	deadline := w.clock.now.Add(d)
	for w.clock.advance(deadline) {
	}
	w.clock.now = deadline
}
