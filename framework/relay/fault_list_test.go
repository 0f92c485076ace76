package relay_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/relay"
)

// echo answers lists with no items, and tells what it was asked for last.
func echo(t *testing.T, asked *url.Values) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		*asked = request.URL.Query()
		w.Header().Set("Content-Type", "application/json")
		if request.URL.Query().Get("watch") != "" {
			_, _ = fmt.Fprint(w, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}}`)
			return
		}
		item := `{"metadata":{"name":"` + strings.Repeat("a", 200) + `"}}`
		_, _ = fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"90"},"items":[`+item+","+item+`]}`)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestAListIsAnsweredWithThePastWhereItMayBe(t *testing.T) {
	const exact, notOlder = metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	for name, row := range map[string]struct {
		options metav1.ListOptions
		stale   bool
	}{
		"any state":                       {metav1.ListOptions{ResourceVersion: "0"}, true},
		"any state, in pages":             {metav1.ListOptions{ResourceVersion: "0", Limit: 500}, true},
		"any state, not older than any":   {metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: notOlder}, true},
		"not older than the past":         {metav1.ListOptions{ResourceVersion: "80", ResourceVersionMatch: notOlder}, true},
		"not older than the past by age":  {metav1.ListOptions{ResourceVersion: "90"}, true},
		"not older than what came after":  {metav1.ListOptions{ResourceVersion: "91", ResourceVersionMatch: notOlder}, false},
		"not older than what came, plain": {metav1.ListOptions{ResourceVersion: "91"}, false},
		"the latest state":                {metav1.ListOptions{}, false},
		"the latest state, in pages":      {metav1.ListOptions{Limit: 500}, false},
		"that state":                      {metav1.ListOptions{ResourceVersion: "80", ResourceVersionMatch: exact}, false},
		"that state, since it has pages":  {metav1.ListOptions{ResourceVersion: "80", Limit: 500}, false},
		"the next page":                   {metav1.ListOptions{ResourceVersion: "0", Continue: "x"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var asked url.Values
			r, client := through(t, echo(t, &asked))
			met := 0
			r.SetFaults(relay.Fault{
				Of: relay.Selector{Verbs: []string{"list"}, Resource: "configmaps"}, Count: relay.Always, Effect: relay.StaleList{At: "90"},
				Met: func(relay.Request) func() { met++; return func() {} },
			})
			_, err := client.CoreV1().ConfigMaps("ns").List(t.Context(), row.options)
			g.Expect(err).NotTo(HaveOccurred())
			if !row.stale {
				g.Expect(met).To(BeZero())
				g.Expect(asked.Get("resourceVersion")).To(Equal(row.options.ResourceVersion))
				return
			}
			g.Expect(met).To(Equal(1))
			g.Expect(asked).To(Equal(url.Values{"resourceVersion": {"90"}, "resourceVersionMatch": {"Exact"}}), "the API server itself says what there was")
		})
	}
}

func TestStreamedListsAreRefusedAsAnAPIServerDoesThatHasNone(t *testing.T) {
	g := NewWithT(t)
	var asked url.Values
	r, client := through(t, echo(t, &asked))
	r.SetFaults(relay.Fault{Of: relay.Selector{Verbs: []string{"watch"}, Resource: "configmaps"}, Count: relay.Always, Effect: relay.NoStreamedLists{}})
	maps := client.CoreV1().ConfigMaps("ns")
	streamed := metav1.ListOptions{SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
	_, err := maps.Watch(t.Context(), streamed)
	g.Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
	g.Expect(asked).To(BeNil(), "the API server hears nothing of it")
	watch, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred(), "other watches are what they were")
	watch.Stop()
}

func TestAListBreaksOff(t *testing.T) {
	g := NewWithT(t)
	var asked url.Values
	r, client := through(t, echo(t, &asked))
	ended := 0
	r.SetFaults(relay.Fault{
		Of: relay.Selector{Verbs: []string{"list", "watch"}, Resource: "configmaps"}, Count: 2, Effect: relay.BrokenAnswer{},
		Met: func(relay.Request) func() { return func() { ended++ } },
	})
	maps := client.CoreV1().ConfigMaps("ns")
	plain, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(plain.ResultChan(), "5s").Should(Receive(HaveField("Object", BeAssignableToTypeOf(&corev1.ConfigMap{}))), "it is about lists")
	plain.Stop()
	_, err = maps.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).To(HaveOccurred())
	streamed, err := maps.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: ptr.To(true)})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(streamed.ResultChan(), "5s").Should(BeClosed())
	list, err := maps.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred(), "it was to break off twice")
	g.Expect(list.Items).To(HaveLen(2))
	g.Expect(ended).To(Equal(2))
}
