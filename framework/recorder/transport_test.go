package recorder_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

const refusal = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"the budget is used up","reason":"TooManyRequests","code":429,
	"details":{"causes":[{"reason":"DisruptionBudget","message":"needs 2","field":"spec.minAvailable"}]}}`

const stored = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u-1","resourceVersion":"17","managedFields":[{"manager":"x"}]}}`

// apiServer answers as the paths say.
func apiServer(t *testing.T) *rest.Config {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/v1/namespaces/n/pods/a/eviction" {
			// client-go sends again what is answered with a Retry-After: that is for the other test.
			if r.URL.Query().Has("wait") {
				w.Header().Set("Retry-After", "10")
			}
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(refusal))
			return
		}
		_, _ = w.Write([]byte(stored))
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

func TestARequestIsRecordedWithItsAnswerAndTheActThatItBelongsTo(t *testing.T) {
	g := NewWithT(t)
	r, path := record(t, newWorld(t), history.KindPod)
	config := apiServer(t)
	client, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: r.Transport(http.DefaultTransport)})
	g.Expect(err).NotTo(HaveOccurred())
	pods := client.CoreV1().Pods("n")

	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	refused := r.Do(t.Context(), history.Stimulus{Act: history.EvictPod, Name: "a"}, func(ctx context.Context) error { return pods.EvictV1(ctx, eviction) })
	g.Expect(refused).To(MatchError(ContainSubstring("the budget is used up")), "the answer reaches the caller as it came")
	pod, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pod.ManagedFields).To(HaveLen(1), "what is left out of the recording is not left out of the answer")
	g.Expect(pods.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})).To(Succeed())

	var exchanges []*history.Exchange
	for _, entry := range caughtUp(t, r, path).Entries {
		if entry.Exchange != nil {
			g.Expect(entry.Exchange.Ended).To(BeNumerically(">=", entry.Exchange.Began))
			exchanges = append(exchanges, entry.Exchange)
		}
	}
	g.Expect(exchanges).To(HaveLen(3))
	evicted, created, deleted := exchanges[0], exchanges[1], exchanges[2]
	g.Expect(*evicted).To(And(
		HaveField("Stimulus", 1), HaveField("Verb", "create"), HaveField("Version", "v1"), HaveField("Resource", "pods"), HaveField("Subresource", "eviction"),
		HaveField("Namespace", "n"), HaveField("Name", "a"), HaveField("Code", 429), HaveField("Reason", "TooManyRequests"),
		HaveField("RetryAfter", 0), HaveField("Status", "Failure"), HaveField("Sent", "policy/v1"),
		HaveField("Causes", ConsistOf(metav1.StatusCause{Type: "DisruptionBudget", Message: "needs 2", Field: "spec.minAvailable"}))))
	g.Expect(evicted.Accepted()).To(BeFalse())
	g.Expect(*created).To(And(HaveField("Stimulus", 0), HaveField("DryRun", true), HaveField("UID", BeEquivalentTo("u-1")), HaveField("ResourceVersion", "17")))
	g.Expect(string(created.Object)).To(And(ContainSubstring(`"u-1"`), Not(ContainSubstring("managedFields"))))
	g.Expect(created.Accepted()).To(BeTrue())
	g.Expect(deleted.Verb).To(Equal("deletecollection"))
}

func TestTheAnswerSaysHowLongToWait(t *testing.T) {
	g := NewWithT(t)
	r, path := record(t, newWorld(t), history.KindPod)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, apiServer(t).Host+"/api/v1/namespaces/n/pods/a/eviction?wait", nil)
	g.Expect(err).NotTo(HaveOccurred())
	response, err := r.Transport(http.DefaultTransport).RoundTrip(request)
	g.Expect(err).NotTo(HaveOccurred())
	body, err := io.ReadAll(response.Body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(body)).To(Equal(refusal))
	g.Expect(response.Body.Close()).To(Succeed())
	g.Expect(caughtUp(t, r, path).Entries[0].Exchange.RetryAfter).To(Equal(10))
}

func TestARequestThatIsNotAnsweredIsRecordedWithItsError(t *testing.T) {
	g := NewWithT(t)
	r, path := record(t, newWorld(t), history.KindPod)
	config := apiServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, config.Host+"/apis/apps/v1/namespaces/n/daemonsets/d", nil)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = r.Transport(http.DefaultTransport).RoundTrip(request)
	g.Expect(err).To(MatchError(context.Canceled))
	h := caughtUp(t, r, path)
	g.Expect(h.Entries).To(HaveLen(1))
	g.Expect(*h.Entries[0].Exchange).To(And(
		HaveField("Verb", "delete"), HaveField("Group", "apps"), HaveField("Resource", "daemonsets"), HaveField("Name", "d"),
		HaveField("Code", 0), HaveField("Error", ContainSubstring("canceled"))))
}
