package relay_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/relay"
)

// apiServer answers requests for ConfigMaps: a list, and a watch that sends one event and stays open. asked counts the lists.
func apiServer(t *testing.T, asked *atomic.Int32) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if request.URL.Query().Get("watch") == "" {
			asked.Add(1)
			_, _ = fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
			return
		}
		_, _ = fmt.Fprint(w, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}}`)
		w.(http.Flusher).Flush()
		<-request.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server
}

// through returns a client of the API server that is behind a relay, and the relay.
func through(t *testing.T, server *httptest.Server) (*relay.Relay, kubernetes.Interface) {
	t.Helper()
	g := NewWithT(t)
	r, err := relay.Start(&rest.Config{Host: server.URL, BearerToken: "secret"})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(r.Close()).To(Succeed()) })
	content, err := r.Kubeconfig()
	g.Expect(err).NotTo(HaveOccurred())
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	g.Expect(err).NotTo(HaveOccurred())
	config.ContentType = "application/json"
	return r, kubernetes.NewForConfigOrDie(config)
}

func TestWhatIsCutOffWaitsAndThenPasses(t *testing.T) {
	g := NewWithT(t)
	var asked atomic.Int32
	r, client := through(t, apiServer(t, &asked))
	maps := client.CoreV1().ConfigMaps("ns")
	_, err := maps.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred(), "the relay has the credentials")

	r.CutOff()
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = maps.List(brief, metav1.ListOptions{})
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
	g.Expect(asked.Load()).To(BeEquivalentTo(1), "the API server hears nothing")

	answered := make(chan error, 1)
	go func() {
		_, err := maps.List(context.WithoutCancel(t.Context()), metav1.ListOptions{})
		answered <- err
	}()
	g.Consistently(answered, "50ms").ShouldNot(Receive())
	r.Reconnect()
	g.Eventually(answered, "5s").Should(Receive(BeNil()))
}

// watching returns the relay, a client behind it, and the events of its watch of ConfigMaps, whose first one has come.
func watching(t *testing.T) (*relay.Relay, kubernetes.Interface, <-chan apiwatch.Event) {
	t.Helper()
	g := NewWithT(t)
	var asked atomic.Int32
	r, client := through(t, apiServer(t, &asked))
	watch, err := client.CoreV1().ConfigMaps("ns").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(watch.ResultChan(), "5s").Should(Receive(HaveField("Object.Name", "a")))
	return r, client, watch.ResultChan()
}

func TestABrokenWatchHasToBeListedAgain(t *testing.T) {
	g := NewWithT(t)
	r, client, events := watching(t)
	maps := client.CoreV1().ConfigMaps("ns")

	g.Expect(r.BreakWatches()).To(Equal(1))
	g.Eventually(events, "5s").Should(BeClosed())
	_, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(apierrors.IsResourceExpired(err)).To(BeTrue(), "%v", err)
	_, err = maps.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	again, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred(), "once is enough")
	again.Stop()
}

func TestAWriteIsNoListing(t *testing.T) {
	g := NewWithT(t)
	r, client, _ := watching(t)
	maps := client.CoreV1().ConfigMaps("ns")
	g.Expect(r.BreakWatches()).To(Equal(1))

	created := client.CoreV1().RESTClient().Post().Namespace("ns").Resource("configmaps").Body([]byte("{}")).Do(t.Context())
	g.Expect(created.Error()).NotTo(HaveOccurred())
	_, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(apierrors.IsResourceExpired(err)).To(BeTrue(), "%v", err)
}

func TestAWatchIsBrokenWhileItIsCutOff(t *testing.T) {
	g := NewWithT(t)
	r, client, events := watching(t)
	maps := client.CoreV1().ConfigMaps("ns")
	r.CutOff()
	g.Expect(r.BreakWatches()).To(Equal(1))
	g.Eventually(events, "5s").Should(BeClosed())
	r.Reconnect()
	_, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(apierrors.IsResourceExpired(err)).To(BeTrue(), "%v", err)
}

func TestWhatAWatchSendsArrivesAsLateAsItIsToldTo(t *testing.T) {
	g := NewWithT(t)
	var asked atomic.Int32
	r, client := through(t, apiServer(t, &asked))
	maps := client.CoreV1().ConfigMaps("ns")
	const late = 300 * time.Millisecond
	r.DelayWatches(late)
	began := time.Now()
	_, err := maps.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	watch, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(watch.ResultChan(), "5s").Should(Receive(HaveField("Object.Name", "a")))
	g.Expect(time.Since(began)).To(BeNumerically(">=", late))
}

func TestWhatIsDelayedPassesWhenTheDelayEnds(t *testing.T) {
	g := NewWithT(t)
	var asked atomic.Int32
	r, client := through(t, apiServer(t, &asked))
	r.DelayWatches(time.Hour)
	watch, err := client.CoreV1().ConfigMaps("ns").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Consistently(watch.ResultChan(), "100ms").ShouldNot(Receive())
	r.DelayWatches(0)
	g.Eventually(watch.ResultChan(), "5s").Should(Receive(HaveField("Object.Name", "a")))
	g.Expect(r.BreakWatches()).To(Equal(1))
	g.Eventually(watch.ResultChan(), "5s").Should(BeClosed())
}

func TestWatchesOfOneResourceAreDelayedAlone(t *testing.T) {
	g := NewWithT(t)
	var asked atomic.Int32
	r, client := through(t, apiServer(t, &asked))
	r.DelayWatches(time.Hour, "configmaps")
	held, err := client.CoreV1().ConfigMaps("ns").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred())
	other, err := client.CoreV1().Secrets("ns").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(other.ResultChan(), "5s").Should(Receive())
	g.Expect(held.ResultChan()).NotTo(Receive())
	r.DelayWatches(0)
	g.Eventually(held.ResultChan(), "5s").Should(Receive())
}
