package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

const (
	// budgetLabel says by which budget a pod is selected.
	budgetLabel = "app"
	// unreadyEvery: one of this many pods becomes unready.
	unreadyEvery = 10
	// budgetsNamespace is shared by all turns, and so are its pods.
	budgetsNamespace = "bench-budgets"
)

// budgets is the course of a disruption controller: budgets are created over existing pods, a tenth of which become unready and then Ready. The pods are
// bound to no node, so only the implementation reacts to them.
type budgets struct{ budgets, pods int }

func (b budgets) title() string { return fmt.Sprintf("%d budgets over %d pods", b.budgets, b.pods) }

func (b budgets) thing() (string, int) { return "a budget", b.budgets }

func (b budgets) follow() follower { return newBudgetProgress(b.budgets) }

func (b budgets) phases() []phase {
	unready := (b.pods + unreadyEvery - 1) / unreadyEvery
	return []phase{
		{"budgets come", history.Stimulus{Act: history.CreateBudget, Kind: history.KindPodDisruptionBudget}, wanted{healthy: b.pods}, b.createAll},
		{"a tenth of the pods become unready", history.Stimulus{Act: history.BecomeUnready, Kind: history.KindPod}, wanted{healthy: b.pods - unready}, b.setReady(corev1.ConditionFalse)},
		{"they become Ready again", history.Stimulus{Act: history.BecomeReady, Kind: history.KindPod}, wanted{healthy: b.pods}, b.setReady(corev1.ConditionTrue)},
	}
}

func (b budgets) prepare(ctx context.Context, client kubernetes.Interface) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: budgetsNamespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	return inParallel(b.pods, 1, func(i int) error {
		pods := client.CoreV1().Pods(budgetsNamespace)
		pod, err := pods.Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: podName(i), Labels: map[string]string{budgetLabel: strconv.Itoa(i * b.budgets / b.pods)}},
			// There is no such scheduler.
			Spec: corev1.PodSpec{SchedulerName: "none", Containers: []corev1.Container{{Name: "pod", Image: "pod:v1"}}},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
		_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		return err
	})
}

func podName(i int) string { return fmt.Sprintf("pod-%d", i) }

func (b budgets) enter(context.Context, kubernetes.Interface, string) (string, error) {
	return budgetsNamespace, nil
}

// leave deletes the budgets; the pods are Ready again by the last phase.
func (b budgets) leave(ctx context.Context, client kubernetes.Interface, namespace string) error {
	all := client.PolicyV1().PodDisruptionBudgets(namespace)
	if err := all.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, lookInterval, true, func(ctx context.Context) (bool, error) {
		left, err := all.List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(left.Items) == 0, err
	})
}

func (b budgets) createAll(ctx context.Context, client kubernetes.Interface, namespace string) error {
	minAvailable := intstr.FromInt32(1)
	return inParallel(b.budgets, 1, func(i int) error {
		name := strconv.Itoa(i)
		_, err := client.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MinAvailable: &minAvailable, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{budgetLabel: name}},
			},
		}, metav1.CreateOptions{})
		return err
	})
}

// setReady changes the condition Ready of every tenth pod.
func (b budgets) setReady(status corev1.ConditionStatus) func(context.Context, kubernetes.Interface, string) error {
	return func(ctx context.Context, client kubernetes.Interface, namespace string) error {
		patch := fmt.Appendf(nil, `{"status":{"conditions":[{"type":%q,"status":%q,"lastTransitionTime":%q}]}}`,
			corev1.PodReady, status, time.Now().UTC().Format(time.RFC3339))
		return inParallel(b.pods, unreadyEvery, func(i int) error {
			_, err := client.CoreV1().Pods(namespace).Patch(ctx, podName(i), types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
			return err
		})
	}
}

// inParallel calls do for 0 and every multiple of every below n, requestsAtOnce at a time, and returns the first error.
func inParallel(n, every int, do func(int) error) error {
	var doing errgroup.Group
	doing.SetLimit(requestsAtOnce)
	for i := 0; i < n; i += every {
		doing.Go(func() error { return do(i) })
	}
	return doing.Wait()
}
