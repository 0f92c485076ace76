package admission

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// fieldOwner is who owns the policies' fields.
const fieldOwner = client.FieldOwner("rollcall-reference")

// Options of SetupWithManager. All fields are required.
type Options struct {
	// Surge is the feature gate DaemonSetUpdateSurge.
	Surge bool
	// Namespace is where the question is asked, by a request that stores nothing, whether the API server obeys the policies.
	Namespace string
}

// SetupWithManager has the policies put in place when the manager starts, by the leader if it elects one, and the manager ready once the API server obeys.
func SetupWithManager(m ctrl.Manager, options Options) error {
	e, err := newEnforcer(m.GetClient(), options)
	if err != nil {
		return err
	}
	if err := m.Add(manager.RunnableFunc(e.run)); err != nil {
		return fmt.Errorf("have the admission policies put in place: %w", err)
	}
	if err := m.AddReadyzCheck("admission", e.obeyed); err != nil {
		return fmt.Errorf("serve /readyz: %w", err)
	}
	return nil
}

// enforcer puts policies in place.
type enforcer struct {
	client           client.Client
	options          Options
	wanted, unwanted []*unstructured.Unstructured
	// known is closed once it is known that the API server obeys, or that it has no such policies.
	known once
	// said is why the API server could not be asked, as it was logged last.
	said atomic.Value
}

func newEnforcer(c client.Client, options Options) (*enforcer, error) {
	wanted, unwanted, err := Policies(options.Surge)
	if err != nil {
		return nil, err
	}
	return &enforcer{client: c, options: options, wanted: wanted, unwanted: unwanted}, nil
}

// run tries until it succeeds.
func (e *enforcer) run(ctx context.Context) error {
	backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 9, Cap: 30 * time.Second}
	err := backoff.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		err := e.apply(ctx)
		if err != nil {
			log.FromContext(ctx).Error(err, "Cannot put the admission policies in place, trying again")
		}
		return err == nil, nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// apply puts the wanted policies in place, then takes the others away.
func (e *enforcer) apply(ctx context.Context) error {
	absent := false
	for _, policy := range e.wanted {
		err := e.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(policy.DeepCopy()), fieldOwner, client.ForceOwnership)
		if meta.IsNoMatchError(err) {
			// ValidatingAdmissionPolicy is there from Kubernetes 1.30 on, MutatingAdmissionPolicy from 1.36 on.
			log.FromContext(ctx).Info("This Kubernetes has no such admission policies, its API server enforces nothing", "kind", policy.GetKind())
			absent = true
			continue
		}
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", policy.GetKind(), policy.GetName(), err)
		}
	}
	for _, policy := range e.unwanted {
		err := client.IgnoreNotFound(e.client.Delete(ctx, policy.DeepCopy()))
		if err != nil && !meta.IsNoMatchError(err) {
			return fmt.Errorf("delete %s %s: %w", policy.GetKind(), policy.GetName(), err)
		}
	}
	if absent {
		e.known.set()
	}
	return nil
}
