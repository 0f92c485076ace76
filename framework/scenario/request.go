package scenario

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// The requests below are for scenarios about the API server's answer: they return its error, such as a rejection, instead of ending the spec.

// TryCreate sends a new DaemonSet and returns what the API server stored.
func (s *Scenario) TryCreate(ctx context.Context, daemonSet *appsv1.DaemonSet) (*appsv1.DaemonSet, error) {
	s.tb.Helper()
	var stored *appsv1.DaemonSet
	stimulus := history.Stimulus{Act: history.CreateDaemonSet, Kind: history.KindDaemonSet, Namespace: daemonSet.Namespace, Name: daemonSet.Name}
	err := s.Do(ctx, stimulus, func(ctx context.Context) (err error) {
		stored, err = s.client.AppsV1().DaemonSets(daemonSet.Namespace).Create(ctx, daemonSet, metav1.CreateOptions{})
		return err
	})
	return stored, err
}

// TryUpdate edits the DaemonSet and returns what the API server stored. A conflict with another writer is tried again.
func (s *Scenario) TryUpdate(ctx context.Context, daemonSet *appsv1.DaemonSet, edits ...Edit) (*appsv1.DaemonSet, error) {
	s.tb.Helper()
	return s.write(ctx, history.UpdateDaemonSet, daemonSet, edits, s.client.AppsV1().DaemonSets(daemonSet.Namespace).Update)
}

// TryUpdateStatus edits the DaemonSet and sends it to the status subresource.
func (s *Scenario) TryUpdateStatus(ctx context.Context, daemonSet *appsv1.DaemonSet, edits ...Edit) (*appsv1.DaemonSet, error) {
	s.tb.Helper()
	return s.write(ctx, history.WriteStatus, daemonSet, edits, s.client.AppsV1().DaemonSets(daemonSet.Namespace).UpdateStatus)
}

func (s *Scenario) write(
	ctx context.Context, act history.Act, daemonSet *appsv1.DaemonSet, edits []Edit, send sender[appsv1.DaemonSet],
) (*appsv1.DaemonSet, error) {
	return rewrite(ctx, s, edited(onDaemonSet(act, daemonSet), edits), s.client.AppsV1().DaemonSets(daemonSet.Namespace), apply(edits), send)
}
