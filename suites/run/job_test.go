package run

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/util/exec"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/job"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestTheFlagsOfAJobAreFlagsOfARun(t *testing.T) {
	known := flagsOf(subcommands()[slices.IndexFunc(subcommands(), func(c subcommand) bool { return c.name() == "run" })])
	for _, name := range jobFlags() {
		if flagOf(known, name) == nil {
			t.Errorf("rollcall run has no flag %s", name)
		}
	}
}

func TestAShardGoesOnWaitingUntilItsResultsAreFetched(t *testing.T) {
	results := jobResults{t.TempDir()}
	if err := os.MkdirAll(results.artifacts(), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(results.artifacts(), reports.YAMLFile), "x")
	var stream bytes.Buffer
	if code, err := results.give(false, &stream); code != job.ExitRunning || err != nil || stream.Len() > 0 {
		t.Errorf("while the run goes on: exit code %d, %v, %d bytes", code, err, stream.Len())
	}
	ended := make(chan error, 1)
	go func() { ended <- results.await(t.Context(), io.Discard) }()
	code := job.ExitRunning
	for code == job.ExitRunning {
		var err error
		if code, err = results.give(false, &stream); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	if err := job.ReadResults(&stream, folder); code != exitConformant || err != nil {
		t.Fatalf("exit code %d, %v", code, err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, reports.YAMLFile)); err != nil || string(text) != "x" {
		t.Errorf("%q, %v", text, err)
	}
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	if code, err := results.give(true, io.Discard); code != exitConformant || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAPodThatIsEndedWaitsForNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (jobResults{t.TempDir()}).await(ctx, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestTheImageHasWhatAShardNeeds(t *testing.T) {
	bundle, err := jobOptions{repository: "rollcall.test/rollcall"}.bundle("/here/rollcall", controlplane.Binaries{Dir: "/here/cache/bin/x"}, implementation.Portable{
		Text: []byte("x"), Beside: map[string][]byte{"manifest-1.yaml": []byte("y")}, Executable: "/here/controller",
	})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, layer := range bundle.Layers {
		for _, file := range layer {
			paths = append(paths, file.Path)
		}
	}
	for _, want := range []string{
		bundle.Entrypoint[0], job.ImplementationFile, "/implementation/manifest-1.yaml", "/implementation/program", "/tmp", "/results", "/cache/rollcall/work",
	} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is not in it: %q", want, paths)
		}
	}
}

// TestShardsThatWereCollectedAreOneRun has the report of a run in two shards come from two pods.
func TestShardsThatWereCollectedAreOneRun(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	streams := map[string][]byte{}
	for name, folder := range map[string]string{"one": shardFolder(t, catalogue, 1), "two": shardFolder(t, catalogue, 2)} {
		var stream bytes.Buffer
		if err := job.WriteResults(&stream, folder); err != nil {
			t.Fatal(err)
		}
		streams[name] = stream.Bytes()
	}
	pods := []corev1.Pod{{}, {}}
	for i, name := range []string{"one", "two"} {
		pods[i].ObjectMeta = metav1.ObjectMeta{
			Namespace: "x", Name: name, Labels: map[string]string{batchv1.JobNameLabel: "rollcall"}, Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: string(rune('0' + i))},
		}
		pods[i].Status.Phase = corev1.PodRunning
	}
	shards := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "rollcall"},
		Spec:       batchv1.JobSpec{CompletionMode: ptr.To(batchv1.IndexedCompletion), Completions: ptr.To[int32](2)},
	}
	var released []string
	collector := &job.Collector{
		Client: fake.NewClientset(shards, &pods[0], &pods[1]), Namespace: "x", Name: "rollcall", Folder: t.TempDir(), Tell: func(string) {},
		Exec: func(_ context.Context, pod string, command []string, out, _ io.Writer) error {
			if slices.Contains(command, job.FetchedFlag) {
				released = append(released, pod)
				return exec.CodeExitError{Code: exitHarness, Err: context.Canceled}
			}
			_, err := out.Write(streams[pod])
			return err
		},
	}
	folder := filepath.Join(t.TempDir(), "all")
	var out bytes.Buffer
	code, err := fetchShards(t.Context(), collector, folder, &out)
	if err != nil || len(released) != 2 {
		t.Fatalf("exit code %d, %v, released %q", code, err, released)
	}
	merged, err := readReportIn(folder)
	if err != nil || merged.Provenance.Shard != nil || reports.ExitCode(merged) != code || !strings.Contains(out.String(), "report.yaml") {
		t.Errorf("exit code %d, %v:\n%s", code, err, out.String())
	}
}
