package job

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/util/exec"
	"k8s.io/utils/ptr"
)

func jobOf(shards int32) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "rollcall"},
		Spec:       batchv1.JobSpec{CompletionMode: ptr.To(batchv1.IndexedCompletion), Completions: &shards},
	}
}

func podOf(index int, name string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "x", Name: name, Labels: map[string]string{batchv1.JobNameLabel: "rollcall"},
			Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: strconv.Itoa(index)},
		},
		Status: corev1.PodStatus{Phase: phase},
	}
}

// containers answers what is executed in the pods.
type containers struct {
	stream []byte
	// running is how often each pod answers that its run goes on.
	running map[string]int
	// broken are how often the stream of each pod breaks.
	broken   map[string]int
	released []string
}

func (c *containers) exec(_ context.Context, pod string, command []string, out, _ io.Writer) error {
	switch {
	case slices.Equal(command, []string{"/rollcall", "shard-results", "-fetched"}):
		c.released = append(c.released, pod)
	case !slices.Equal(command, []string{"/rollcall", "shard-results"}):
		return errors.New("no such command: " + strings.Join(command, " "))
	case c.running[pod] > 0:
		c.running[pod]--
		return exec.CodeExitError{Err: errors.New("command terminated"), Code: ExitRunning}
	case c.broken[pod] > 0:
		c.broken[pod]--
		_, _ = out.Write(c.stream[:len(c.stream)/2])
		return errors.New("connection reset")
	default:
		_, err := out.Write(c.stream)
		return err
	}
	return nil
}

func collectorOf(t *testing.T, c *containers, told *[]string, objects ...runtime.Object) *Collector {
	t.Helper()
	return &Collector{
		Client: fake.NewClientset(objects...), Exec: c.exec, Namespace: "x", Name: "rollcall", Folder: filepath.Join(t.TempDir(), "shards"),
		Tell: func(text string) { *told = append(*told, text) }, every: time.Millisecond,
	}
}

func TestAllShardsAreFetchedAndThenReleased(t *testing.T) {
	var told []string
	disrupted := podOf(1, "gone", corev1.PodFailed)
	disrupted.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}
	pods := &containers{stream: packed(t, map[string]string{"report.yaml": "x"}), running: map[string]int{"a": 1}, broken: map[string]int{"b": 1}}
	collector := collectorOf(t, pods, &told, jobOf(2), podOf(0, "a", corev1.PodRunning), disrupted, podOf(1, "b", corev1.PodRunning))
	folders, err := collector.Collect(t.Context())
	if err != nil || len(folders) != 2 {
		t.Fatalf("%q, %v", folders, err)
	}
	for n, folder := range folders {
		if text, err := os.ReadFile(filepath.Join(folder, "report.yaml")); err != nil || string(text) != "x" || filepath.Base(folder) != strconv.Itoa(n+1) {
			t.Errorf("%s: %q, %v", folder, text, err)
		}
	}
	if len(pods.released) > 0 {
		t.Errorf("released before the results are safe: %q", pods.released)
	}
	if err := collector.Release(t.Context()); err != nil || len(pods.released) != 2 || slices.Contains(pods.released, "gone") {
		t.Errorf("released %q, %v", pods.released, err)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{"shard 1/2 runs in pod a", "connection reset; trying again", "shard 2/2 begins again: its pod gone", "shard 2/2: its results are here"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("want %q once in:\n%s", want, all)
		}
	}
}

func TestWhatCannotBeCollectedSaysWhy(t *testing.T) {
	ended := podOf(0, "a", corev1.PodFailed)
	ended.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}}}}
	late := jobOf(1)
	late.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "DeadlineExceeded", Message: "too long"}}
	other := jobOf(1)
	other.Spec.CompletionMode = ptr.To(batchv1.NonIndexedCompletion)
	for name, row := range map[string]struct {
		objects []runtime.Object
		usage   bool
		want    []string
	}{
		"no Job":          {nil, true, []string{"no Job rollcall in namespace x", "rollcall job"}},
		"another Job":     {[]runtime.Object{other}, true, []string{"not one that `rollcall job` wrote"}},
		"a pod that died": {[]runtime.Object{jobOf(1), ended}, false, []string{"shard 1/1", "exit code 137 (OOMKilled)", "kubectl -n x logs a"}},
		"a Job too late":  {[]runtime.Object{late}, false, []string{"DeadlineExceeded", "1 of 1 shards"}},
		"a broken stream": {[]runtime.Object{jobOf(1), podOf(0, "a", corev1.PodRunning)}, false, []string{"shard 1/1 from pod a", "connection reset"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []string
			pods := &containers{stream: packed(t, map[string]string{"report.yaml": "x"}), broken: map[string]int{"a": mostFailures}}
			_, err := collectorOf(t, pods, &told, row.objects...).Collect(t.Context())
			if err == nil || errors.Is(err, ErrNoJob) != row.usage {
				t.Fatalf("got %v", err)
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in: %v", want, err)
				}
			}
			if len(pods.released) > 0 {
				t.Error("the pods were released")
			}
		})
	}
}
