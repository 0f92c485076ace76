package scenario

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// TryCreateRevision sends a new ControllerRevision and returns what the API server stored, or its refusal.
func (s *Scenario) TryCreateRevision(ctx context.Context, revision *appsv1.ControllerRevision) (stored *appsv1.ControllerRevision, err error) {
	s.tb.Helper()
	err = s.Do(ctx, onRevision(history.CreateRevision, revision), func(ctx context.Context) (err error) {
		stored, err = s.client.AppsV1().ControllerRevisions(revision.Namespace).Create(ctx, revision, metav1.CreateOptions{})
		return err
	})
	return stored, err
}

// CreateRevision is TryCreateRevision for what must be accepted.
func (s *Scenario) CreateRevision(ctx context.Context, revision *appsv1.ControllerRevision) *appsv1.ControllerRevision {
	s.tb.Helper()
	stored, err := s.TryCreateRevision(ctx, revision)
	s.must(err, "create ControllerRevision %s", revision.Name)
	return stored
}

// TryUpdateRevision changes a ControllerRevision and returns what the API server stored, or its refusal. A conflict with another writer is tried again.
func (s *Scenario) TryUpdateRevision(
	ctx context.Context, revision *appsv1.ControllerRevision, edit func(*appsv1.ControllerRevision),
) (*appsv1.ControllerRevision, error) {
	s.tb.Helper()
	revisions := s.client.AppsV1().ControllerRevisions(revision.Namespace)
	return rewrite(ctx, s, onRevision(history.UpdateRevision, revision), revisions, edit, revisions.Update)
}

// UpdateRevision is TryUpdateRevision for what must be accepted. It returns when the recording shows the change.
func (s *Scenario) UpdateRevision(ctx context.Context, revision *appsv1.ControllerRevision, edit func(*appsv1.ControllerRevision)) {
	s.tb.Helper()
	stored, err := s.TryUpdateRevision(ctx, revision, edit)
	s.must(err, "update ControllerRevision %s", revision.Name)
	s.Require(ctx, "the recording shows the change", state.When("ControllerRevision "+revision.Name+" was changed", func(cluster *history.Cluster) bool {
		now := cluster.Revisions[stored.UID]
		return now == nil || shows(now, stored)
	}))
}

// DeleteRevision deletes a ControllerRevision.
func (s *Scenario) DeleteRevision(ctx context.Context, revision *appsv1.ControllerRevision) {
	s.tb.Helper()
	err := s.Do(ctx, onRevision(history.DeleteRevision, revision), func(ctx context.Context) error {
		return s.client.AppsV1().ControllerRevisions(revision.Namespace).Delete(ctx, revision.Name, metav1.DeleteOptions{})
	})
	s.must(err, "delete ControllerRevision %s", revision.Name)
}

func onRevision(act history.Act, revision *appsv1.ControllerRevision) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindControllerRevision, Namespace: revision.Namespace, Name: revision.Name, UID: revision.UID}
}

// revisionQuota is the name of the quota that RefuseRevisions makes.
const revisionQuota = "refuse-revisions"

// RefuseRevisions makes the API server refuse to create further ControllerRevisions in the scenario's namespace, until AdmitRevisions.
func (s *Scenario) RefuseRevisions(ctx context.Context) {
	s.tb.Helper()
	const counted corev1.ResourceName = "count/controllerrevisions.apps"
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: revisionQuota, Namespace: s.namespace},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{counted: resource.MustParse("0")}},
	}
	err := s.Do(ctx, s.onNamespace(history.RefuseRevisions), func(ctx context.Context) error {
		if _, err := s.client.CoreV1().ResourceQuotas(s.namespace).Create(ctx, quota, metav1.CreateOptions{}); err != nil {
			return err
		}
		// It holds once the quota controller has counted what there is.
		return s.poll(ctx, func(ctx context.Context) (bool, error) {
			now, err := s.admin.CoreV1().ResourceQuotas(s.namespace).Get(ctx, revisionQuota, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			_, known := now.Status.Hard[counted]
			return known, nil
		})
	})
	s.must(err, "have the API server refuse ControllerRevisions")
}

// AdmitRevisions undoes RefuseRevisions.
func (s *Scenario) AdmitRevisions(ctx context.Context) {
	s.tb.Helper()
	err := s.Do(ctx, s.onNamespace(history.AdmitRevisions), func(ctx context.Context) error {
		return s.client.CoreV1().ResourceQuotas(s.namespace).Delete(ctx, revisionQuota, metav1.DeleteOptions{})
	})
	s.must(err, "have the API server admit ControllerRevisions")
}

func (s *Scenario) onNamespace(act history.Act) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindNamespace, Name: s.namespace}
}

// LabelPod is TryLabelPod for a pod that must be there.
func (s *Scenario) LabelPod(ctx context.Context, pod *corev1.Pod, labels map[string]string) {
	s.tb.Helper()
	s.must(s.TryLabelPod(ctx, pod, labels), "label pod %s", pod.Name)
}

// TryLabelPod sets labels of the pod; with an empty value it takes the label off. It returns when the recording shows the change, or with the API server's
// refusal.
func (s *Scenario) TryLabelPod(ctx context.Context, pod *corev1.Pod, labels map[string]string) error {
	s.tb.Helper()
	pods := s.client.CoreV1().Pods(pod.Namespace)
	stored, err := rewrite(ctx, s, onPod(history.LabelPod, pod), pods, func(current *corev1.Pod) {
		for key, value := range labels {
			if value == "" {
				delete(current.Labels, key)
				continue
			}
			metav1.SetMetaDataLabel(&current.ObjectMeta, key, value)
		}
	}, pods.Update)
	if err != nil {
		return err
	}
	s.Require(ctx, "the recording shows the labels", state.When("pod "+pod.Name+" was changed", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || shows(now, stored)
	}))
	return nil
}
