package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/observe"
)

// cache is what a process knows. Events of each kind arrive in their order.
type cache struct {
	client.Reader
	pods    map[string]*corev1.Pod
	budget  *policyv1.PodDisruptionBudget
	pending []event
}

var errNotFound = apierrors.NewNotFound(schema.GroupResource{}, "")

// Get implements client.Reader.
func (c *cache) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	budget, isBudget := into.(*policyv1.PodDisruptionBudget)
	if !isBudget || c.budget == nil {
		return errNotFound
	}
	c.budget.DeepCopyInto(budget)
	return nil
}

// List implements client.Reader.
func (c *cache) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	pods, isPods := into.(*corev1.PodList)
	if !isPods {
		return fmt.Errorf("nobody lists %T", into)
	}
	for _, pod := range c.pods {
		pods.Items = append(pods.Items, *pod)
	}
	return nil
}

// take returns the next event that is due, but none that would overtake another one of its kind.
func (c *cache) take(a *apiServer) (event, bool) {
	for _, ofBudget := range []bool{false, true} {
		i := slices.IndexFunc(c.pending, func(e event) bool { return (e.budget != nil) == ofBudget })
		if i >= 0 && !c.pending[i].due.After(a.now) {
			e := c.pending[i]
			c.pending = slices.Delete(c.pending, i, i+1)
			return e, true
		}
	}
	return event{}, false
}

// scales are read past the cache.
type scales struct{ api *apiServer }

// Scale implements observe.Scales.
func (l scales) Scale(_ context.Context, _ string, reference *metav1.OwnerReference) (observe.Scale, error) {
	if l.api.broken {
		return observe.Scale{}, errors.New("the API server does not answer")
	}
	return observe.Scale{UID: reference.UID, Replicas: l.api.scales[reference.UID]}, nil
}

// writer writes the budget's status.
type writer struct {
	client.SubResourceWriter
	api *apiServer
	// judge looks at each write before it takes effect.
	judge func(before, after *policyv1.PodDisruptionBudget)
}

// Status implements client.StatusClient.
func (w writer) Status() client.SubResourceWriter { return w }

// Update implements client.SubResourceWriter. As on a real API server, a write that changes nothing is no event.
func (w writer) Update(_ context.Context, object client.Object, _ ...client.SubResourceUpdateOption) error {
	written, stored := object.(*policyv1.PodDisruptionBudget), w.api.budget
	if written.ResourceVersion != "" && written.ResourceVersion != stored.ResourceVersion {
		return apierrors.NewConflict(schema.GroupResource{}, written.Name, errors.New("it has changed"))
	}
	after := stored.DeepCopy()
	after.Status = *written.Status.DeepCopy()
	w.judge(stored, after)
	if !apiequality.Semantic.DeepEqual(stored.Status, after.Status) {
		w.api.storeBudget(after)
	}
	return nil
}
