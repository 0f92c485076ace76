package simulation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	namespace = "simulated"
	webKind   = "Web"
)

// event is one change of a pod or of the budget on its way to the cache.
type event struct {
	due    time.Time
	name   string
	pod    *corev1.Pod
	budget *policyv1.PodDisruptionBudget
}

// apiServer stores a budget, its pods, and the scales behind them. Stored objects are replaced, never changed in place.
type apiServer struct {
	now     time.Time
	random  *rand.Rand
	lag     time.Duration
	version int

	budget *policyv1.PodDisruptionBudget
	pods   map[string]*corev1.Pod
	scales map[types.UID]int32
	// broken: scales cannot be read.
	broken bool

	// granted are the evictions whose deletion is under way, by the pod's name and since when.
	granted map[string]time.Time
	// later are things that happen by themselves.
	later []later
	// tell sends an event to the cache; nil for nobody.
	tell func(event)
	made int
}

type later struct {
	at time.Time
	do func()
}

// after lets do happen, no earlier than wait from now.
func (a *apiServer) after(wait time.Duration, do func()) {
	a.later = append(a.later, later{a.now.Add(wait), do})
}

// upTo returns a random time of at most that.
func (a *apiServer) upTo(most time.Duration) time.Duration {
	return time.Duration(a.random.Int64N(int64(most) + 1))
}

func (a *apiServer) storePod(pod *corev1.Pod) {
	a.version++
	pod.ResourceVersion = strconv.Itoa(a.version)
	a.pods[pod.Name] = pod
	a.send(event{name: pod.Name, pod: pod})
}

func (a *apiServer) removePod(name string) {
	delete(a.pods, name)
	a.send(event{name: name})
}

func (a *apiServer) storeBudget(budget *policyv1.PodDisruptionBudget) {
	a.version++
	budget.ResourceVersion = strconv.Itoa(a.version)
	a.budget = budget
	a.send(event{budget: budget})
}

func (a *apiServer) send(e event) {
	if a.tell != nil {
		e.due = a.now.Add(a.upTo(a.lag))
		a.tell(e)
	}
}

// changePod stores a changed copy, if there is such a pod.
func (a *apiServer) changePod(name string, change func(*corev1.Pod)) {
	if pod := a.pods[name]; pod != nil {
		pod = pod.DeepCopy()
		change(pod)
		a.storePod(pod)
	}
}

// edit changes the budget's spec.
func (a *apiServer) edit(change func(*policyv1.PodDisruptionBudgetSpec)) {
	budget := a.budget.DeepCopy()
	change(&budget.Spec)
	budget.Generation++
	a.storeBudget(budget)
}

// create makes a pod of the controller, or of none, which gets Ready by itself, though not before the cache can have heard of it.
func (a *apiServer) create(name string, controller types.UID) {
	if a.pods[name] != nil {
		return
	}
	a.made++
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID(fmt.Sprintf("uid-%d", a.made)), Labels: map[string]string{"app": "web"},
			CreationTimestamp: metav1.NewTime(a.now).Rfc3339Copy(),
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}},
	}
	if controller != "" {
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "example.test/v1", Kind: webKind, Name: string(controller), UID: controller, Controller: ptr.To(true)}}
	}
	a.storePod(pod)
	uid := pod.UID
	a.after(a.lag+a.upTo(4*time.Second), func() {
		if pod := a.pods[name]; pod != nil && pod.UID == uid {
			a.ready(name, corev1.ConditionTrue)
		}
	})
}

func (a *apiServer) ready(name string, status corev1.ConditionStatus) {
	a.changePod(name, func(pod *corev1.Pod) { pod.Status.Conditions[0].Status = status })
}

// delete begins to delete a pod, which goes by itself.
func (a *apiServer) delete(name string) {
	pod := a.pods[name]
	if pod == nil || pod.DeletionTimestamp != nil {
		return
	}
	delete(a.granted, name)
	uid := pod.UID
	a.changePod(name, func(pod *corev1.Pod) { pod.DeletionTimestamp = ptr.To(metav1.NewTime(a.now)) })
	a.after(a.upTo(5*time.Second), func() {
		if pod := a.pods[name]; pod != nil && pod.UID == uid {
			a.removePod(name)
		}
	})
}

// evict does as Kubernetes does, and reports whether the eviction was granted. One that gets lost is never followed by the deletion.
func (a *apiServer) evict(name string, lost bool) bool {
	budget := a.budget.DeepCopy()
	status := &budget.Status
	if status.ObservedGeneration < budget.Generation || status.DisruptionsAllowed <= 0 {
		return false
	}
	status.DisruptionsAllowed--
	if status.DisruptedPods == nil {
		status.DisruptedPods = map[string]metav1.Time{}
	}
	status.DisruptedPods[name] = metav1.NewTime(a.now).Rfc3339Copy()
	a.storeBudget(budget)
	a.granted[name] = a.now
	if !lost {
		a.after(a.upTo(300*time.Millisecond), func() { a.delete(name) })
	}
	return true
}

// names are those of the pods, in their order.
func (a *apiServer) names() []string { return slices.Sorted(maps.Keys(a.pods)) }
