package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// EvictionEdit is one change to a request for an eviction, with the words in which the recording tells it.
type EvictionEdit struct {
	// Says what the edit does, for example "policy/v1beta1".
	Says string

	apply func(*evictionRequest)
}

// evictionRequest is what is sent to a pod's eviction subresource.
type evictionRequest struct {
	body policyv1.Eviction
	// dryRunInQuery: the request's query, and not its body, asks for a dry run.
	dryRunInQuery bool
}

func (r evictionRequest) isDryRun() bool {
	return r.dryRunInQuery || r.body.DeleteOptions != nil && slices.Contains(r.body.DeleteOptions.DryRun, metav1.DryRunAll)
}

// InVersion sends an Eviction of that apiVersion. All have the same fields.
func InVersion(apiVersion string) EvictionEdit {
	return EvictionEdit{apiVersion, func(r *evictionRequest) { r.body.APIVersion = apiVersion }}
}

// Untyped sends an Eviction without apiVersion and kind.
func Untyped() EvictionEdit {
	return EvictionEdit{"without apiVersion and kind", func(r *evictionRequest) { r.body.TypeMeta = metav1.TypeMeta{} }}
}

// NamedInBody sends an Eviction that names another pod than the path does.
func NamedInBody(name string) EvictionEdit {
	return EvictionEdit{"of pod " + name, func(r *evictionRequest) { r.body.Name = name }}
}

// DryRunInQuery asks for a dry run by the request's query.
func DryRunInQuery() EvictionEdit {
	return EvictionEdit{"dry run by the query", func(r *evictionRequest) { r.dryRunInQuery = true }}
}

// WithDeleteOptions sends an Eviction with options for the deletion, which the text says.
func WithDeleteOptions(says string, options metav1.DeleteOptions) EvictionEdit {
	return EvictionEdit{says, func(r *evictionRequest) { r.body.DeleteOptions = &options }}
}

// TryEvict asks the eviction subresource of the pod once to let it go, in policy/v1 if the edits do not say otherwise, and returns its refusal. The answer
// is in the recording also where it advises another try. A dry run is another act than an eviction.
func (s *Scenario) TryEvict(ctx context.Context, pod *corev1.Pod, edits ...EvictionEdit) error {
	s.tb.Helper()
	request := evictionRequest{body: policyv1.Eviction{
		TypeMeta:   metav1.TypeMeta{APIVersion: policyv1.SchemeGroupVersion.String(), Kind: "Eviction"},
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
	}}
	said := make([]string, len(edits))
	for i, edit := range edits {
		edit.apply(&request)
		said[i] = edit.Says
	}
	act := history.EvictPod
	if request.isDryRun() {
		act = history.DryRunEviction
	}
	stimulus := onPod(act, pod)
	stimulus.Detail = strings.Join(said, ", ")
	return s.Do(ctx, stimulus, func(ctx context.Context) error {
		body, err := json.Marshal(request.body)
		if err != nil {
			return fmt.Errorf("encode the eviction of pod %s: %w", pod.Name, err)
		}
		sent := evictionOf(s.client.CoreV1().RESTClient().Post(), pod).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body)
		if request.dryRunInQuery {
			sent.Param("dryRun", metav1.DryRunAll)
		}
		return sent.Do(ctx).Error()
	})
}

// Evict is TryEvict for a pod that no disruption budget protects.
func (s *Scenario) Evict(ctx context.Context, pod *corev1.Pod) {
	s.tb.Helper()
	s.must(s.TryEvict(ctx, pod), "evict pod %s", pod.Name)
}

// EvictAtOnce asks for the eviction of all the pods at the same time. It returns, when every request is answered, the pods whose eviction was not accepted.
func (s *Scenario) EvictAtOnce(ctx context.Context, pods []*corev1.Pod) (left []*corev1.Pod) {
	s.tb.Helper()
	var all sync.WaitGroup
	begin, failures := make(chan struct{}), make([]error, len(pods))
	for i, pod := range pods {
		all.Go(func() {
			<-begin
			failures[i] = s.TryEvict(ctx, pod)
		})
	}
	close(begin)
	all.Wait()
	for i, pod := range pods {
		if failures[i] != nil {
			left = append(left, pod)
		}
	}
	return left
}

// TryReadEviction sends a GET to the eviction subresource of the pod.
func (s *Scenario) TryReadEviction(ctx context.Context, pod *corev1.Pod) error {
	s.tb.Helper()
	return s.Do(ctx, onPod(history.ReadEviction, pod), func(ctx context.Context) error {
		return evictionOf(s.client.CoreV1().RESTClient().Get(), pod).Do(ctx).Error()
	})
}

// TryPatchEviction sends a PATCH of that kind to the eviction subresource of the pod.
func (s *Scenario) TryPatchEviction(ctx context.Context, pod *corev1.Pod, kind types.PatchType, body string) error {
	s.tb.Helper()
	stimulus := onPod(history.PatchEviction, pod)
	stimulus.Detail = string(kind)
	return s.Do(ctx, stimulus, func(ctx context.Context) error {
		sent := evictionOf(s.client.CoreV1().RESTClient().Patch(kind), pod)
		if kind == types.ApplyPatchType {
			sent.Param("fieldManager", "rollcall")
		}
		return sent.Body([]byte(body)).Do(ctx).Error()
	})
}

// evictionOf directs a request to the eviction subresource of the pod. client-go would repeat one that is answered with a time to wait.
func evictionOf(request *rest.Request, pod *corev1.Pod) *rest.Request {
	return request.Namespace(pod.Namespace).Resource("pods").Name(pod.Name).SubResource("eviction").MaxRetries(0)
}

// Discover reads the API server's list of the resources of a version, such as "v1".
func (s *Scenario) Discover(ctx context.Context, version string) {
	s.tb.Helper()
	err := s.Do(ctx, history.Stimulus{Act: history.Discover, Name: version}, func(ctx context.Context) error {
		return s.client.CoreV1().RESTClient().Get().AbsPath("api", version).Do(ctx).Error()
	})
	s.must(err, "read the resources of %s", version)
}
