package historytest

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Budget is a PodDisruptionBudget of the history.
type Budget struct {
	b      *Builder
	object *policyv1.PodDisruptionBudget
}

// Budget creates a budget that selects the pods with the label "app" of that value. Without options it has no limit.
func (b *Builder) Budget(name, app string, options ...func(*policyv1.PodDisruptionBudgetSpec)) *Budget {
	object := &policyv1.PodDisruptionBudget{ObjectMeta: b.meta(history.KindPodDisruptionBudget, name)}
	object.Generation = 1
	object.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	for _, option := range options {
		option(&object.Spec)
	}
	budget := &Budget{b: b, object: object}
	b.event(history.KindPodDisruptionBudget, watch.Added, object)
	return budget
}

// MinAvailable sets minAvailable, "2" or "50%".
func MinAvailable(value string) func(*policyv1.PodDisruptionBudgetSpec) {
	return func(spec *policyv1.PodDisruptionBudgetSpec) {
		limit := intstr.Parse(value)
		spec.MinAvailable, spec.MaxUnavailable = &limit, nil
	}
}

// MaxDisrupted sets a budget's maxUnavailable.
func MaxDisrupted(value string) func(*policyv1.PodDisruptionBudgetSpec) {
	return func(spec *policyv1.PodDisruptionBudgetSpec) {
		limit := intstr.Parse(value)
		spec.MinAvailable, spec.MaxUnavailable = nil, &limit
	}
}

// Set changes the spec.
func (d *Budget) Set(edit func(*policyv1.PodDisruptionBudgetSpec)) *Budget {
	edit(&d.object.Spec)
	d.object.Generation++
	d.b.event(history.KindPodDisruptionBudget, watch.Modified, d.object)
	return d
}

// Status changes the status.
func (d *Budget) Status(edit func(*policyv1.PodDisruptionBudgetStatus)) *Budget {
	edit(&d.object.Status)
	d.b.event(history.KindPodDisruptionBudget, watch.Modified, d.object)
	return d
}

// Says writes these numbers, of the present generation, with the condition that belongs to them and no disrupted pods.
func (d *Budget) Says(allowed, healthy, desired, expected int32) *Budget {
	return d.Status(func(status *policyv1.PodDisruptionBudgetStatus) {
		status.DisruptionsAllowed, status.CurrentHealthy, status.DesiredHealthy, status.ExpectedPods = allowed, healthy, desired, expected
		status.ObservedGeneration, status.DisruptedPods = d.object.Generation, nil
		d.conclude(status)
	})
}

// conclude sets the condition that belongs to the numbers.
func (d *Budget) conclude(status *policyv1.PodDisruptionBudgetStatus) {
	condition := metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason,
		ObservedGeneration: d.object.Generation, LastTransitionTime: metav1.NewTime(d.b.now),
	}
	if status.DisruptionsAllowed > 0 {
		condition.Status, condition.Reason = metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	status.Conditions = append(dropCondition(status.Conditions), condition)
}

// SyncFailed writes what a status says that could not be computed.
func (d *Budget) SyncFailed(message string) *Budget {
	return d.Status(func(status *policyv1.PodDisruptionBudgetStatus) {
		status.DisruptionsAllowed = 0
		status.Conditions = append(dropCondition(status.Conditions), metav1.Condition{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason, Message: message,
			ObservedGeneration: status.ObservedGeneration, LastTransitionTime: metav1.NewTime(d.b.now),
		})
	})
}

func dropCondition(conditions []metav1.Condition) []metav1.Condition {
	var others []metav1.Condition
	for _, condition := range conditions {
		if condition.Type != policyv1.DisruptionAllowedCondition {
			others = append(others, condition)
		}
	}
	return others
}

// Disrupts writes what the API server does when it accepts the eviction of the pod: it takes one off what is allowed, and lists the pod.
func (d *Budget) Disrupts(pod *Pod) *Budget {
	return d.Status(func(status *policyv1.PodDisruptionBudgetStatus) {
		status.DisruptionsAllowed--
		d.conclude(status)
		listed := map[string]metav1.Time{pod.object.Name: metav1.NewTime(d.b.now)}
		for name, since := range status.DisruptedPods {
			listed[name] = since
		}
		status.DisruptedPods = listed
	})
}

// Object returns a copy of the budget as it is now.
func (d *Budget) Object() *policyv1.PodDisruptionBudget { return d.object.DeepCopy() }

func (d *Budget) subject() history.Stimulus {
	return history.Stimulus{Kind: history.KindPodDisruptionBudget, Namespace: d.object.Namespace, Name: d.object.Name, UID: d.object.UID}
}

// ReplicaSet is a ReplicaSet of the history.
type ReplicaSet struct {
	b      *Builder
	object *appsv1.ReplicaSet
}

// ReplicaSet creates a ReplicaSet.
func (b *Builder) ReplicaSet(name string, replicas int32, owners ...metav1.OwnerReference) *ReplicaSet {
	object := &appsv1.ReplicaSet{ObjectMeta: b.meta(history.KindReplicaSet, name)}
	object.OwnerReferences, object.Spec.Replicas = owners, &replicas
	b.event(history.KindReplicaSet, watch.Added, object)
	return &ReplicaSet{b: b, object: object}
}

// Scale changes the number of replicas.
func (r *ReplicaSet) Scale(replicas int32) {
	r.object.Spec.Replicas = &replicas
	r.b.event(history.KindReplicaSet, watch.Modified, r.object)
}

// Pod creates a pod of the ReplicaSet on the node, with the label "app" of the ReplicaSet's name.
func (r *ReplicaSet) Pod(name, node string) *Pod {
	owner := *metav1.NewControllerRef(r.object, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
	return r.b.Stranger(name, node, map[string]string{"app": r.object.Name}, owner)
}

// Deployment is a Deployment of the history.
type Deployment struct {
	b      *Builder
	object *appsv1.Deployment
}

// Deployment creates a Deployment.
func (b *Builder) Deployment(name string, replicas int32) *Deployment {
	object := &appsv1.Deployment{ObjectMeta: b.meta(history.KindDeployment, name)}
	object.Spec.Replicas = &replicas
	b.event(history.KindDeployment, watch.Added, object)
	return &Deployment{b: b, object: object}
}

// Owner is a reference to it, of what it controls.
func (d *Deployment) Owner() metav1.OwnerReference {
	return *metav1.NewControllerRef(d.object, appsv1.SchemeGroupVersion.WithKind("Deployment"))
}

// Gone deletes it.
func (d *Deployment) Gone() { d.b.event(history.KindDeployment, watch.Deleted, d.object) }

// Disrupted gives the pod the condition DisruptionTarget with the reason.
func (p *Pod) Disrupted(reason string) *Pod {
	return p.Edit(func(pod *corev1.Pod) {
		pod.Status.Conditions = append(pod.Status.Conditions[:len(pod.Status.Conditions):len(pod.Status.Conditions)], corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: metav1.NewTime(p.b.now.Truncate(time.Second)),
		})
	})
}

// Evicted tells the pod that its eviction was accepted.
func (p *Pod) Evicted() *Pod { return p.Disrupted("EvictionByEvictionAPI") }
