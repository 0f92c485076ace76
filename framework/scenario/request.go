package scenario

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// The requests below are for scenarios about the API server's answer: they return its error, such as a rejection, instead of ending the spec.

// TryCreate sends a new DaemonSet and returns what the API server stored.
func (s *Scenario) TryCreate(ctx context.Context, daemonSet *appsv1.DaemonSet) (*appsv1.DaemonSet, error) {
	s.tb.Helper()
	s.Note(history.Stimulus{Lever: "create DaemonSet", Kind: history.KindDaemonSet, Namespace: daemonSet.Namespace, Name: daemonSet.Name})
	return s.env.Client.AppsV1().DaemonSets(daemonSet.Namespace).Create(ctx, daemonSet, metav1.CreateOptions{})
}

// TryUpdate edits the DaemonSet and returns what the API server stored. A conflict with another writer is tried again.
func (s *Scenario) TryUpdate(ctx context.Context, daemonSet *appsv1.DaemonSet, edits ...Edit) (*appsv1.DaemonSet, error) {
	s.tb.Helper()
	s.noteUpdate("update DaemonSet", daemonSet, edits)
	client := s.env.Client.AppsV1().DaemonSets(daemonSet.Namespace)
	return s.write(ctx, daemonSet, edits, client.Update)
}

// TryUpdateStatus edits the DaemonSet and sends it to the status subresource.
func (s *Scenario) TryUpdateStatus(ctx context.Context, daemonSet *appsv1.DaemonSet, edits ...Edit) (*appsv1.DaemonSet, error) {
	s.tb.Helper()
	s.noteUpdate("write status", daemonSet, edits)
	client := s.env.Client.AppsV1().DaemonSets(daemonSet.Namespace)
	return s.write(ctx, daemonSet, edits, client.UpdateStatus)
}

type update func(context.Context, *appsv1.DaemonSet, metav1.UpdateOptions) (*appsv1.DaemonSet, error)

func (s *Scenario) write(ctx context.Context, daemonSet *appsv1.DaemonSet, edits []Edit, send update) (stored *appsv1.DaemonSet, err error) {
	client := s.env.Client.AppsV1().DaemonSets(daemonSet.Namespace)
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		current, err := client.Get(ctx, daemonSet.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, edit := range edits {
			edit.Apply(current)
		}
		stored, err = send(ctx, current, metav1.UpdateOptions{})
		return err
	})
	return stored, err
}
