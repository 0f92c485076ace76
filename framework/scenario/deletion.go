package scenario

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Finalizer keeps objects, once deleted, that a scenario holds back.
const Finalizer = "rollcall.dev/hold"

// The patches by which an object, once deleted, goes on existing, and by which it may go.
const (
	hold  = `{"metadata":{"finalizers":["` + Finalizer + `"]}}`
	letGo = `{"metadata":{"finalizers":null}}`
)

// DeleteDaemonSet deletes the DaemonSet, and what it controls as the policy says.
func (s *Scenario) DeleteDaemonSet(ctx context.Context, daemonSet *appsv1.DaemonSet, policy metav1.DeletionPropagation) {
	s.tb.Helper()
	stimulus := onDaemonSet(history.DeleteDaemonSet, daemonSet)
	stimulus.Detail = "propagation " + string(policy)
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		return s.client.AppsV1().DaemonSets(daemonSet.Namespace).Delete(ctx, daemonSet.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
	})
	s.must(err, "delete DaemonSet %s", daemonSet.Name)
}

// HoldDaemonSet keeps the DaemonSet, once deleted, until the scenario is over: it goes on existing, and being deleted.
func (s *Scenario) HoldDaemonSet(ctx context.Context, daemonSet *appsv1.DaemonSet) {
	s.tb.Helper()
	patch := func(ctx context.Context, client kubernetes.Interface, body string) error {
		_, err := client.AppsV1().DaemonSets(daemonSet.Namespace).Patch(ctx, daemonSet.Name, types.MergePatchType, []byte(body), metav1.PatchOptions{})
		return ignoreNotFound(err)
	}
	err := s.Do(ctx, onDaemonSet(history.HoldDaemonSet, daemonSet), func(ctx context.Context) error { return patch(ctx, s.client, hold) })
	s.must(err, "hold DaemonSet %s", daemonSet.Name)
	s.held = append(s.held, func(ctx context.Context) error { return patch(ctx, s.admin, letGo) })
}

// HoldBudget keeps the budget, once deleted, until the scenario is over: it goes on existing, and being deleted.
func (s *Scenario) HoldBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget) {
	s.tb.Helper()
	s.UpdateBudget(ctx, budget, BudgetEdit{"a finalizer", func(budget *policyv1.PodDisruptionBudget) {
		budget.Finalizers = append(budget.Finalizers, Finalizer)
	}})
	s.held = append(s.held, func(ctx context.Context) error {
		_, err := s.admin.PolicyV1().PodDisruptionBudgets(budget.Namespace).Patch(ctx, budget.Name, types.MergePatchType, []byte(letGo), metav1.PatchOptions{})
		return ignoreNotFound(err)
	})
}

// HoldRevision keeps the ControllerRevision, once deleted, until the scenario is over: it goes on existing, and being deleted.
func (s *Scenario) HoldRevision(ctx context.Context, revision *appsv1.ControllerRevision) {
	s.tb.Helper()
	s.UpdateRevision(ctx, revision, func(revision *appsv1.ControllerRevision) {
		revision.Finalizers = append(revision.Finalizers, Finalizer)
	})
	s.held = append(s.held, func(ctx context.Context) error {
		_, err := s.admin.AppsV1().ControllerRevisions(revision.Namespace).Patch(ctx, revision.Name, types.MergePatchType, []byte(letGo), metav1.PatchOptions{})
		return ignoreNotFound(err)
	})
}

// DeleteHeld deletes the ReplicaSet, which goes on existing, and being deleted, until the scenario is over. Its pods stay for as long.
func (s *Scenario) DeleteHeld(ctx context.Context, w Scaled) {
	s.tb.Helper()
	sets := s.client.AppsV1().ReplicaSets(s.namespace)
	stimulus := s.onScaled(history.UpdateWorkload, w)
	stimulus.Detail = "a finalizer"
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		_, err := sets.Patch(ctx, w.Name, types.MergePatchType, []byte(hold), metav1.PatchOptions{})
		return err
	})
	s.must(err, "hold %s %s", w.Kind, w.Name)
	s.held = append(s.held, func(ctx context.Context) error {
		_, err := s.admin.AppsV1().ReplicaSets(s.namespace).Patch(ctx, w.Name, types.MergePatchType, []byte(letGo), metav1.PatchOptions{})
		return ignoreNotFound(err)
	})
	s.DeleteScaled(ctx, w)
}

// DeleteScaled deletes the ReplicaSet, or the Deployment, and its pods after it.
func (s *Scenario) DeleteScaled(ctx context.Context, w Scaled) {
	s.tb.Helper()
	background := metav1.DeletePropagationBackground
	err := s.Do(ctx, s.onScaled(history.DeleteWorkload, w), func(ctx context.Context) error {
		options := metav1.DeleteOptions{PropagationPolicy: &background}
		if w.Kind == history.KindDeployment {
			return s.client.AppsV1().Deployments(s.namespace).Delete(ctx, w.Name, options)
		}
		return s.client.AppsV1().ReplicaSets(s.namespace).Delete(ctx, w.Name, options)
	})
	s.must(err, "delete %s %s", w.Kind, w.Name)
}

// Orphan deletes the Deployment, and lets its ReplicaSets and their pods stay. It returns when the Deployment is gone.
func (s *Scenario) Orphan(ctx context.Context, w Scaled) {
	s.tb.Helper()
	orphan := metav1.DeletePropagationOrphan
	stimulus := s.onScaled(history.DeleteWorkload, w)
	stimulus.Detail = "its pods stay"
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		deployments := s.client.AppsV1().Deployments(s.namespace)
		if err := deployments.Delete(ctx, w.Name, metav1.DeleteOptions{PropagationPolicy: &orphan}); err != nil {
			return err
		}
		// The garbage collector takes the owner references away before that.
		return s.poll(ctx, func(ctx context.Context) (bool, error) {
			_, err := deployments.Get(ctx, w.Name, metav1.GetOptions{})
			return apierrors.IsNotFound(err), ignoreNotFound(err)
		})
	})
	s.must(err, "delete %s %s", w.Kind, w.Name)
}

// HoldNode keeps the node, once deleted, until the scenario is over: it goes on existing, and being deleted, as one whose machine is to be emptied first.
func (s *Scenario) HoldNode(ctx context.Context, name string) {
	s.tb.Helper()
	s.EditNode(ctx, history.AddFinalizer, name, func(node *corev1.Node) { node.Finalizers = append(node.Finalizers, Finalizer) })
	s.held = append(s.held, func(ctx context.Context) error {
		_, err := s.admin.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(letGo), metav1.PatchOptions{})
		return ignoreNotFound(err)
	})
}

func onDaemonSet(act history.Act, daemonSet *appsv1.DaemonSet) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindDaemonSet, Namespace: daemonSet.Namespace, Name: daemonSet.Name, UID: daemonSet.UID}
}
