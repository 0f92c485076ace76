package observe

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// Workloads are the built-in kinds with a scale, whose objects are read from the cache (PDB-007).
func Workloads() []client.Object {
	return []client.Object{&appsv1.Deployment{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &corev1.ReplicationController{}}
}

// Replicas is the scale that one of Workloads should have.
func Replicas(workload client.Object) int32 {
	// The API server sets one where none is given.
	const unset = 1
	switch w := workload.(type) {
	case *appsv1.Deployment:
		return ptr.Deref(w.Spec.Replicas, unset)
	case *appsv1.ReplicaSet:
		return ptr.Deref(w.Spec.Replicas, unset)
	case *appsv1.StatefulSet:
		return ptr.Deref(w.Spec.Replicas, unset)
	case *corev1.ReplicationController:
		return ptr.Deref(w.Spec.Replicas, unset)
	}
	return 0
}

// builtIn returns an empty object of the kind that reference names, or nil if that is none of Workloads.
func builtIn(reference *metav1.OwnerReference) client.Object {
	group := schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind).Group
	switch {
	case group == corev1.GroupName && reference.Kind == "ReplicationController":
		return &corev1.ReplicationController{}
	case group != appsv1.GroupName && group != formerGroup:
		return nil
	}
	switch reference.Kind {
	case "Deployment":
		return &appsv1.Deployment{}
	case "ReplicaSet":
		return &appsv1.ReplicaSet{}
	case "StatefulSet":
		return &appsv1.StatefulSet{}
	}
	return nil
}

// formerGroup is what Deployments and ReplicaSets once were in; references from then may still say so.
const formerGroup = "extensions"

// controller returns what is known of the scale behind reference. A ReplicaSet of a Deployment counts as the Deployment, so that a rollout does not count twice.
func (o *Observer) controller(ctx context.Context, namespace string, reference *metav1.OwnerReference) plan.Controller {
	workload := o.cached(ctx, namespace, reference)
	if workload == nil {
		// A custom resource, or one that the cache does not show yet.
		return o.scale(ctx, namespace, reference)
	}
	above := metav1.GetControllerOfNoCopy(workload)
	if set, isSet := workload.(*appsv1.ReplicaSet); isSet && above != nil && above.Kind == "Deployment" && builtIn(above) != nil {
		if deployment := o.controller(ctx, namespace, above); !deployment.Gone {
			return deployment
		}
		workload = set
	}
	return plan.Controller{UID: reference.UID, Replicas: Replicas(workload)}
}

// cached returns the built-in workload that reference names, or nil if the cache has none with that UID.
func (o *Observer) cached(ctx context.Context, namespace string, reference *metav1.OwnerReference) client.Object {
	workload := builtIn(reference)
	if workload == nil {
		return nil
	}
	err := o.Cache.Get(ctx, client.ObjectKey{Namespace: namespace, Name: reference.Name}, workload)
	if err != nil || workload.GetUID() != reference.UID {
		return nil
	}
	return workload
}

// scale asks the API server.
func (o *Observer) scale(ctx context.Context, namespace string, reference *metav1.OwnerReference) plan.Controller {
	scale, err := o.Scales.Scale(ctx, namespace, reference)
	switch {
	case err != nil:
		return plan.Controller{UID: reference.UID, Err: fmt.Errorf("read the scale of %s %s: %w", reference.Kind, reference.Name, err), Temporary: true}
	case scale.Lacking != "":
		return plan.Controller{UID: reference.UID, Err: errors.New(scale.Lacking)}
	case scale.UID != reference.UID:
		return plan.Controller{UID: reference.UID, Gone: true}
	}
	return plan.Controller{UID: reference.UID, Replicas: scale.Replicas, Polled: true}
}
