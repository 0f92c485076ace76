package trial

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded/embeddedtest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/passive"
)

// config is of a control plane whose DaemonSet controller is kube-controller-manager's.
var config *rest.Config

func TestMain(m *testing.M) {
	os.Exit(embeddedtest.Main(m, func(cluster *embedded.Cluster) {
		config = rest.CopyConfig(cluster.Config())
		config.QPS, config.Burst = 200, 400
	}))
}

// patience is how long something in the cluster may take.
const patience = 2 * time.Minute

// world is a namespace with a DaemonSet on nodes of its own.
type world struct {
	*testing.T
	client    kubernetes.Interface
	namespace string
}

// newWorld has a DaemonSet "agent", whose pods of v1 are available on three nodes, with maxUnavailable 1.
func newWorld(t *testing.T) *world {
	w := &world{T: t, client: kubernetes.NewForConfigOrDie(config), namespace: "watch-" + strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))}
	w.namespace = w.namespace[:min(len(w.namespace), 60)]
	w.must(w.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}, metav1.CreateOptions{}))
	for i := range 3 {
		name := fmt.Sprintf("%s-%d", w.namespace, i+1)
		w.must(w.client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			embedded.NodeLabel: embedded.NodeLabelValue, corev1.LabelHostname: name, "world": w.namespace,
		}}}, metav1.CreateOptions{}))
	}
	one, grace := intstr.FromInt32(1), int64(1)
	labels := map[string]string{"app": "agent"}
	w.must(w.client.AppsV1().DaemonSets(w.namespace).Create(t.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"},
		Spec: appsv1.DaemonSetSpec{
			MinReadySeconds: 2,
			Selector:        &metav1.LabelSelector{MatchLabels: labels},
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &one},
			},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				TerminationGracePeriodSeconds: &grace, NodeSelector: map[string]string{"world": w.namespace},
				Containers: []corev1.Container{{Name: "agent", Image: "agent:v1"}},
			}},
		},
	}, metav1.CreateOptions{}))
	w.awaitRolledOut()
	return w
}

func (w *world) must(_ any, err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) await(what string, holds func() (bool, error)) {
	w.Helper()
	err := wait.PollUntilContextTimeout(w.Context(), 200*time.Millisecond, patience, true, func(context.Context) (bool, error) { return holds() })
	if err != nil {
		w.Fatalf("%s: %v", what, err)
	}
}

func (w *world) awaitRolledOut() {
	w.await("the DaemonSet is rolled out", func() (bool, error) {
		ds, err := w.client.AppsV1().DaemonSets(w.namespace).Get(w.Context(), "agent", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		status := ds.Status
		return status.ObservedGeneration == ds.Generation && status.DesiredNumberScheduled == 3 && status.UpdatedNumberScheduled == 3 && status.NumberAvailable == 3, nil
	})
}

// pods are the DaemonSet's, by name.
func (w *world) pods() []corev1.Pod {
	list, err := w.client.CoreV1().Pods(w.namespace).List(w.Context(), metav1.ListOptions{})
	w.must(list, err)
	return list.Items
}

func (w *world) update(image string) {
	patch := fmt.Appendf(nil, `{"spec":{"template":{"spec":{"containers":[{"name":"agent","image":%q}]}}}}`, image)
	w.must(w.client.AppsV1().DaemonSets(w.namespace).Patch(w.Context(), "agent", "application/strategic-merge-patch+json", patch, metav1.PatchOptions{}))
}

// deleteAtOnce deletes pods, and has an Event say that the DaemonSet's controller did if claimed.
func (w *world) deleteAtOnce(pods []corev1.Pod, claimed bool) {
	ds, err := w.client.AppsV1().DaemonSets(w.namespace).Get(w.Context(), "agent", metav1.GetOptions{})
	w.must(ds, err)
	for _, pod := range pods {
		if claimed {
			w.must(w.client.CoreV1().Events(w.namespace).Create(w.Context(), &corev1.Event{
				ObjectMeta:     metav1.ObjectMeta{GenerateName: "agent-"},
				InvolvedObject: corev1.ObjectReference{Kind: "DaemonSet", APIVersion: "apps/v1", Namespace: w.namespace, Name: ds.Name, UID: ds.UID},
				Reason:         "SuccessfulDelete", Message: "Deleted pod: " + pod.Name, Type: corev1.EventTypeNormal, Source: corev1.EventSource{Component: "broken"},
			}, metav1.CreateOptions{}))
		}
		w.must(nil, w.client.CoreV1().Pods(w.namespace).Delete(w.Context(), pod.Name, metav1.DeleteOptions{}))
	}
}

const (
	// whole is a size that no recording here reaches, tiny one that every recording has.
	whole = 1 << 30
	tiny  = 1
)

func TestALawfulRolloutGivesNoAlarmAndItsNumbers(t *testing.T) {
	for name, size := range map[string]int64{"whole": whole, "rotated": tiny} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			watching := w.watch(size)
			w.update("agent:v2")
			w.awaitRolledOut()
			result, verdicts := watching.end(w)
			if watching.alarms() > 0 || result.Violations > 0 {
				t.Errorf("alarms: %v", watching.broken)
			}
			if len(result.Rollouts) != 1 || len(result.UnderWay) != 0 {
				t.Fatalf("%d rollouts over, %d under way, want one", len(result.Rollouts), len(result.UnderWay))
			}
			r := *result.Rollouts[0]
			if r.Nodes != 3 || len(r.Order) != 3 || r.Unavailable != 1 || r.Limits != (passive.Limits{Unavailable: 1}) || r.Surged > 1 || r.Deleted != 3 ||
				r.Evicted+r.Unclaimed != 0 || len(r.Took) != 3 || len(r.Waiting) != 0 {
				t.Errorf("wrong numbers: %+v", r)
			}
			if lasted := r.Lasted(r.Ended); lasted < 6*time.Second || lasted > patience {
				t.Errorf("three times minReadySeconds of 2 took %s", lasted)
			}
			for _, verdict := range verdicts {
				if verdict.Outcome != judge.Holds {
					t.Errorf("%s %s: %s %v", verdict.Requirement, verdict.Outcome, verdict.Reason, verdict.Violations)
				}
			}
			if floor, _ := verdicts.Of("ROLLING-002"); !floor.Exercised {
				t.Error("ROLLING-002 was not put to the test")
			}
			if parts := len(watching.recordings(w)); size == tiny && parts < 3 {
				t.Errorf("%d recordings: none was begun in the middle of the rollout", parts)
			}
		})
	}
}

func TestMoreThanMaxUnavailableGivesAnAlarm(t *testing.T) {
	for name, size := range map[string]int64{"whole": whole, "rotated": tiny} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			watching := w.watch(size)
			w.update("agent:v2")
			w.await("one pod is updated", func() (bool, error) {
				return slices.ContainsFunc(w.pods(), func(pod corev1.Pod) bool { return pod.Spec.Containers[0].Image == "agent:v2" }), nil
			})
			old := slices.DeleteFunc(w.pods(), func(pod corev1.Pod) bool {
				return pod.Spec.Containers[0].Image == "agent:v2" || pod.DeletionTimestamp != nil
			})
			if len(old) == 0 {
				t.Fatal("no old pod is left")
			}
			w.deleteAtOnce(old, true)
			w.await("an alarm", func() (bool, error) { return watching.alarms() > 0, nil })
			w.awaitRolledOut()
			result, verdicts := watching.end(w)
			if floor, _ := verdicts.Of("ROLLING-002"); floor.Outcome != judge.Broken {
				t.Errorf("the recordings say that ROLLING-002 %s", floor.Outcome)
			}
			if again := len(verdicts.Violations()); again != result.Violations {
				t.Errorf("%d violations while it was recorded, %d in the recordings", result.Violations, again)
			}
		})
	}
}

func TestWhatOthersDoIsNotHeldAgainstTheController(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watching := w.watch(whole)
	w.deleteAtOnce(w.pods(), false)
	w.awaitRolledOut()
	if _, verdicts := watching.end(w); watching.alarms() > 0 || len(verdicts.Violations()) > 0 {
		t.Errorf("alarms: %v", watching.broken)
	}
}

func TestTargetsThatAreNotThereAreAnErrorThatNamesThem(t *testing.T) {
	folder := t.TempDir()
	_, err := passive.Watch(t.Context(), passive.Options{
		Config: config, Targets: passive.Targets{Namespace: "kube-system", Names: []string{"cilium"}}, Folder: folder, Size: whole, Tell: newHeard(),
	})
	if err == nil || !strings.Contains(err.Error(), "there is no DaemonSet cilium in namespace kube-system") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
