package act

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// writeRevisions brings the history to what the plan says. A name that is taken makes the plan stale: when the cache
// shows who has it, the next plan knows whether that is the wanted revision or a collision (HISTORY-005, HISTORY-006).
func (a *Actor) writeRevisions(ctx context.Context, ds *appsv1.DaemonSet, actions plan.Actions) error {
	if actions.CreateRevision != nil {
		revision := actions.CreateRevision.DeepCopy()
		err := a.Client.Create(ctx, revision)
		if err != nil && !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return classify(fmt.Errorf("create ControllerRevision %s/%s: %w", ds.Namespace, revision.Name, err))
		}
		if err == nil {
			a.Writes.Wrote(ds.UID, Revisions, revision.ResourceVersion)
		}
	}
	for _, update := range actions.UpdateRevisions {
		revision := update.Revision.DeepCopy()
		if err := a.Client.Update(ctx, revision); err != nil {
			return classify(fmt.Errorf("update ControllerRevision %s/%s: %w", ds.Namespace, revision.Name, err))
		}
		a.Writes.Wrote(ds.UID, Revisions, revision.ResourceVersion)
	}
	return nil
}

// deleteRevisions comes last: what keeps a history from being deleted must not keep nodes from their pods.
func (a *Actor) deleteRevisions(ctx context.Context, ds *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision) error {
	for _, revision := range revisions {
		err := a.Client.Delete(ctx, revision, client.Preconditions{UID: &revision.UID, ResourceVersion: &revision.ResourceVersion})
		if err != nil && !apierrors.IsNotFound(err) {
			return classify(fmt.Errorf("delete ControllerRevision %s/%s: %w", ds.Namespace, revision.Name, err))
		}
		a.Writes.Deleted(ds.UID, revision.UID)
	}
	return nil
}
