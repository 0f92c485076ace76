package job

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

// objectsOf decodes a manifest as an API server does that knows no other fields.
func objectsOf(t *testing.T, text []byte) (corev1.Namespace, batchv1.Job) {
	t.Helper()
	var namespace corev1.Namespace
	var job batchv1.Job
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for _, into := range []any{&namespace, &job} {
		document, err := documents.Read()
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(document, into); err != nil {
			t.Fatalf("%v in:\n%s", err, document)
		}
	}
	if _, err := documents.Read(); !errors.Is(err, io.EOF) {
		t.Error("there is a third document")
	}
	return namespace, job
}

func written(t *testing.T) []byte {
	t.Helper()
	text, err := Manifest{
		Name: "rollcall", Namespace: "conformance", Image: "example.com/rollcall:1", Shards: 3, Architecture: "arm64", Args: []string{ShardCommand, "--", `-focus=a "b": ${NAME}`},
	}.Write()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheManifestIsAnIndexedJobInANamespaceOfItsOwn(t *testing.T) {
	namespace, job := objectsOf(t, written(t))
	if namespace.Name != "conformance" || job.Namespace != "conformance" || job.Name != "rollcall" {
		t.Errorf("got %s, %s/%s", namespace.Name, job.Namespace, job.Name)
	}
	spec := job.Spec
	if *spec.CompletionMode != batchv1.IndexedCompletion || *spec.Completions != 3 || *spec.Parallelism != 3 || *spec.BackoffLimitPerIndex != 0 {
		t.Errorf("got %+v", spec)
	}
	pod := spec.Template.Spec
	if pod.RestartPolicy != corev1.RestartPolicyNever || *pod.AutomountServiceAccountToken || pod.NodeSelector[corev1.LabelArchStable] != "arm64" {
		t.Errorf("got %+v", pod)
	}
	container := pod.Containers[0]
	if container.Image != "example.com/rollcall:1" || !slices.Equal(container.Args, []string{ShardCommand, "--", `-focus=a "b": ${NAME}`}) {
		t.Errorf("got %s %q", container.Image, container.Args)
	}
	var mounted []string
	for _, mount := range container.VolumeMounts {
		if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name && v.EmptyDir != nil }) {
			t.Errorf("nothing is mounted as %s", mount.Name)
		}
		mounted = append(mounted, mount.MountPath)
	}
	if !slices.Equal(mounted, []string{Results, CacheHome + "/rollcall/work", "/tmp"}) {
		t.Errorf("mounted: %q", mounted)
	}
	if !*container.SecurityContext.ReadOnlyRootFilesystem {
		t.Error("the root file system can be written to")
	}
}

// TestTheManifestIsRestricted asks what the API server asks of pods in a namespace whose profile is restricted.
func TestTheManifestIsRestricted(t *testing.T) {
	namespace, job := objectsOf(t, written(t))
	if level := namespace.Labels[api.EnforceLevelLabel]; level != string(api.LevelRestricted) {
		t.Errorf("the namespace enforces %q", level)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	template := job.Spec.Template
	if result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec)); !result.Allowed {
		t.Errorf("forbidden: %s", result.ForbiddenDetail())
	}
	template.Spec.Containers[0].SecurityContext.Capabilities = nil
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec))
	if result.Allowed || !strings.Contains(result.ForbiddenDetail(), "capabilities") {
		t.Errorf("a pod that keeps its capabilities is allowed: %+v", result)
	}
}
