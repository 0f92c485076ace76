package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/disruption"
)

// epoch is when every simulation begins.
var epoch = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

// tick is the grain of the virtual time.
const tick = 50 * time.Millisecond

// world is a simulated cluster with its controller.
type world struct {
	api     *apiServer
	judge   *judge
	options func() disruption.Options
	// process is nil while there is none.
	process *process
	// stateful: pods that go come back under their name.
	stateful bool
}

// setup is what a simulation begins with. It is printed when one fails.
type setup struct {
	Seed     uint64
	Lag      time.Duration
	Stateful bool
	Limit    limit
}

// limit is minAvailable, or maxUnavailable.
type limit struct {
	Value string
	Max   bool
}

func (l limit) set(spec *policyv1.PodDisruptionBudgetSpec) {
	value := intstr.Parse(l.Value)
	spec.MinAvailable, spec.MaxUnavailable = &value, nil
	if l.Max {
		spec.MinAvailable, spec.MaxUnavailable = nil, &value
	}
}

func newWorld(s setup, options func() disruption.Options) *world {
	a := &apiServer{
		now: epoch, random: rand.New(rand.NewPCG(s.Seed, 0)), lag: s.Lag, pods: map[string]*corev1.Pod{}, granted: map[string]time.Time{},
		scales: map[types.UID]int32{"a": 3, "b": 2},
	}
	w := &world{api: a, judge: &judge{api: a}, options: options, stateful: s.Stateful}
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "budget", UID: "budget", Generation: 1},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}
	s.Limit.set(&budget.Spec)
	a.storeBudget(budget)
	w.restart()
	return w
}

// restart begins a new process in the place of the one that there is.
func (w *world) restart() {
	w.process = start(w.api, w.options(), writer{api: w.api, judge: w.judge.wrote})
}

// kill ends the process.
func (w *world) kill() { w.process, w.api.tell = nil, nil }

// pass lets time pass.
func (w *world) pass(d time.Duration) { w.passBy(tick, d) }

// rest lets time pass in which nobody does anything.
func (w *world) rest(d time.Duration) { w.passBy(10*tick, d) }

func (w *world) passBy(grain, d time.Duration) {
	for end := w.api.now.Add(d); w.api.now.Before(end); w.api.now = w.api.now.Add(grain) {
		w.api.happen()
		w.fill()
		if w.process != nil {
			w.process.step(context.Background())
		}
		if w.judge.excused {
			w.judge.look()
		}
	}
}

// happen does what is due.
func (a *apiServer) happen() {
	due := a.later
	a.later = nil
	for _, l := range due {
		if l.at.After(a.now) {
			a.later = append(a.later, l)
			continue
		}
		l.do()
	}
}

// fill creates the pods that are missing, and deletes those that are too many, as a workload's controller does.
func (w *world) fill() {
	for _, uid := range []types.UID{"a", "b"} {
		replicas := int(w.api.scales[uid])
		var there []string
		for _, name := range w.api.names() {
			if pod := w.api.pods[name]; len(pod.OwnerReferences) > 0 && pod.OwnerReferences[0].UID == uid && (pod.DeletionTimestamp == nil || w.stateful) {
				there = append(there, name)
			}
		}
		for i := replicas; i < len(there); i++ {
			w.api.delete(there[i])
		}
		for i := 0; w.stateful && i < replicas; i++ {
			w.api.create(fmt.Sprintf("%s-%d", uid, i), uid)
		}
		for i := len(there); !w.stateful && i < replicas; i++ {
			w.api.create(fmt.Sprintf("%s-%d", uid, w.api.made), uid)
		}
	}
}
