package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Scaled is a workload that a scenario made and that keeps a number of pods, which it tells by the label "app" with the workload's name.
type Scaled struct {
	// Kind is ReplicaSet, Deployment, StatefulSet or ReplicationController, or Job, which keeps pods and has no scale.
	Kind history.Kind
	// Name and UID of the object, which is in the scenario's namespace.
	Name string
	UID  types.UID
}

// Labels are those of the workload's pods, which are of no other workload.
func (w Scaled) Labels() map[string]string { return map[string]string{"app": w.Name} }

// RunScaled is CreateScaled of a workload that gets all pods of its labels, and returns when these are as many.
func (s *Scenario) RunScaled(ctx context.Context, kind history.Kind, name string, replicas int32, edits ...Edit) Scaled {
	s.tb.Helper()
	workload := s.CreateScaled(ctx, kind, name, replicas, edits...)
	s.Require(ctx, fmt.Sprintf("%s %s has its pods", kind, name), LivePodsOf(workload, int(replicas)))
	return workload
}

// CreateScaled creates a workload of the kind, whose pods run on the scenario's nodes as the edits of a DaemonSet's template say. The cluster's own controllers see
// to them.
func (s *Scenario) CreateScaled(ctx context.Context, kind history.Kind, name string, replicas int32, edits ...Edit) Scaled {
	s.tb.Helper()
	workload := Scaled{Kind: kind, Name: name}
	template := s.NewDaemonSet(name, edits...).Spec.Template
	create, err := s.newScaled(workload, replicas, template)
	s.must(err, "make pods")
	stimulus := s.onScaled(history.CreateWorkload, workload)
	stimulus.Detail = fmt.Sprintf("%d replicas, %s", replicas, words(edits))
	err = s.Do(ctx, stimulus, func(ctx context.Context) error {
		stored, err := create(ctx)
		if err == nil {
			workload.UID = stored.GetUID()
		}
		return err
	})
	s.must(err, "create %s %s", kind, name)
	return workload
}

// newScaled returns what creates the workload.
func (s *Scenario) newScaled(
	w Scaled, replicas int32, template corev1.PodTemplateSpec,
) (create func(context.Context) (metav1.Object, error), err error) {
	meta := metav1.ObjectMeta{Name: w.Name, Namespace: s.namespace}
	selector, options := metav1.SetAsLabelSelector(w.Labels()), metav1.CreateOptions{}
	apps := s.client.AppsV1()
	switch w.Kind {
	case history.KindReplicaSet:
		return func(ctx context.Context) (metav1.Object, error) {
			spec := appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: selector, Template: template}
			return apps.ReplicaSets(s.namespace).Create(ctx, &appsv1.ReplicaSet{ObjectMeta: meta, Spec: spec}, options)
		}, nil
	case history.KindDeployment:
		return func(ctx context.Context) (metav1.Object, error) {
			spec := appsv1.DeploymentSpec{Replicas: &replicas, Selector: selector, Template: template}
			return apps.Deployments(s.namespace).Create(ctx, &appsv1.Deployment{ObjectMeta: meta, Spec: spec}, options)
		}, nil
	case history.KindStatefulSet:
		return func(ctx context.Context) (metav1.Object, error) {
			spec := appsv1.StatefulSetSpec{
				Replicas: &replicas, Selector: selector, Template: template, PodManagementPolicy: appsv1.ParallelPodManagement,
			}
			return apps.StatefulSets(s.namespace).Create(ctx, &appsv1.StatefulSet{ObjectMeta: meta, Spec: spec}, options)
		}, nil
	case history.KindJob:
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		return func(ctx context.Context) (metav1.Object, error) {
			job := &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Parallelism: &replicas, Template: template}}
			return s.client.BatchV1().Jobs(s.namespace).Create(ctx, job, options)
		}, nil
	case history.KindReplicationController:
		return func(ctx context.Context) (metav1.Object, error) {
			spec := corev1.ReplicationControllerSpec{Replicas: &replicas, Selector: w.Labels(), Template: &template}
			return s.client.CoreV1().ReplicationControllers(s.namespace).Create(ctx, &corev1.ReplicationController{ObjectMeta: meta, Spec: spec}, options)
		}, nil
	}
	return nil, fmt.Errorf("%s is no kind of workload that keeps pods", w.Kind)
}

// Scale sets the number of replicas of a workload that has a scale, by that subresource.
func (s *Scenario) Scale(ctx context.Context, w Scaled, replicas int32) {
	s.tb.Helper()
	scale := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: w.Name, Namespace: s.namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas},
	}
	stimulus := s.onScaled(history.ScaleWorkload, w)
	stimulus.Detail = fmt.Sprintf("%d replicas", replicas)
	err := s.Do(ctx, stimulus, func(ctx context.Context) (err error) {
		options := metav1.UpdateOptions{}
		switch w.Kind {
		case history.KindReplicaSet:
			_, err = s.client.AppsV1().ReplicaSets(s.namespace).UpdateScale(ctx, w.Name, scale, options)
		case history.KindDeployment:
			_, err = s.client.AppsV1().Deployments(s.namespace).UpdateScale(ctx, w.Name, scale, options)
		case history.KindStatefulSet:
			_, err = s.client.AppsV1().StatefulSets(s.namespace).UpdateScale(ctx, w.Name, scale, options)
		default:
			_, err = s.client.CoreV1().ReplicationControllers(s.namespace).UpdateScale(ctx, w.Name, scale, options)
		}
		return err
	})
	s.must(err, "scale %s %s to %d", w.Kind, w.Name, replicas)
}

// RollDeployment changes the template and the minReadySeconds of a Deployment to those of a DaemonSet with the edits.
func (s *Scenario) RollDeployment(ctx context.Context, w Scaled, edits ...Edit) {
	s.tb.Helper()
	spec := s.NewDaemonSet(w.Name, edits...).Spec
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"template": spec.Template, "minReadySeconds": spec.MinReadySeconds}})
	s.must(err, "encode a template")
	stimulus := s.onScaled(history.UpdateWorkload, w)
	stimulus.Detail = words(edits)
	err = s.Do(ctx, stimulus, func(ctx context.Context) error {
		_, err := s.client.AppsV1().Deployments(s.namespace).Patch(ctx, w.Name, types.MergePatchType, body, metav1.PatchOptions{})
		return err
	})
	s.must(err, "update %s %s", w.Kind, w.Name)
}

func (s *Scenario) onScaled(act history.Act, w Scaled) history.Stimulus {
	return history.Stimulus{Act: act, Kind: w.Kind, Namespace: s.namespace, Name: w.Name, UID: w.UID}
}

// LivePodsOf holds when that many pods with the workload's labels are neither terminating nor terminal, and have all the traits.
func LivePodsOf(w Scaled, count int, traits ...Trait) Condition {
	return Condition{Text: fmt.Sprintf("%s has %d live pods as wanted", w.Name, count), Unmet: func(cluster *history.Cluster) string {
		if live := len(livePodsOf(cluster, w, traits)); live != count {
			return fmt.Sprintf("%s has %d live pods as wanted, not %d", w.Name, live, count)
		}
		return ""
	}}
}

// PodsOf returns the pods with the workload's labels that are neither terminating nor terminal and have all the traits, by name.
func (s *Scenario) PodsOf(ctx context.Context, w Scaled, traits ...Trait) []*corev1.Pod {
	s.tb.Helper()
	var pods []*corev1.Pod
	s.Look(ctx, func(cluster *history.Cluster) { pods = livePodsOf(cluster, w, traits) })
	return pods
}

func livePodsOf(cluster *history.Cluster, w Scaled, traits []Trait) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range cluster.Pods {
		if history.IsLive(pod) && pod.Labels["app"] == w.Name && hasAll(pod, traits) {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}
