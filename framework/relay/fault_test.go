package relay_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/relay"
)

// writable is an API server that takes every write; written counts them.
func writable(t *testing.T, written *atomic.Int32) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		written.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`))
	}))
	t.Cleanup(server.Close)
	return server
}

func creations() relay.Selector {
	return relay.Selector{Verbs: []string{"create"}, Resource: "configmaps"}
}

func TestTheAnswerToOneWriteIsLost(t *testing.T) {
	g := NewWithT(t)
	var written atomic.Int32
	r, client := through(t, writable(t, &written))
	var met []string
	ended := 0
	r.SetFaults(relay.Fault{Of: creations(), First: 2, Effect: relay.LostAnswer{}, Met: func(request relay.Request) func() {
		met = append(met, request.String())
		g.Expect(written.Load()).To(BeEquivalentTo(2), "whoever is told is told first")
		return func() {
			ended++
			g.Expect(written.Load()).To(BeEquivalentTo(3), "it is carried out")
		}
	}})
	maps := client.CoreV1().ConfigMaps("ns")
	create := func() error {
		_, err := maps.Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
		return err
	}
	g.Expect(create()).To(Succeed())
	_, err := maps.Update(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred(), "it is about other requests")
	err = create()
	g.Expect(err).To(HaveOccurred())
	g.Expect(apierrors.ReasonForError(err)).To(BeEmpty(), "it is no answer of an API server: %v", err)
	g.Expect(create()).To(Succeed(), "once is enough")
	g.Expect(met).To(Equal([]string{"create configmaps ns"}))
	g.Expect(ended).To(Equal(1))
}

func TestARequestIsCarriedOutAndSaidToHaveTimedOut(t *testing.T) {
	g := NewWithT(t)
	var written atomic.Int32
	r, client := through(t, writable(t, &written))
	r.SetFaults(relay.Fault{Of: creations(), Effect: relay.LostAnswer{TimedOut: true}})
	create := func() error {
		_, err := client.CoreV1().ConfigMaps("ns").Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
		return err
	}
	g.Expect(create()).To(Satisfy(apierrors.IsTimeout))
	g.Expect(written.Load()).To(BeEquivalentTo(1))
	g.Expect(create()).To(Succeed(), "once is enough")
}

func TestAFaultMeetsTheNamespacesThatItNamesAlone(t *testing.T) {
	g := NewWithT(t)
	var written atomic.Int32
	r, client := through(t, writable(t, &written))
	ours := creations()
	ours.Namespaces = []string{"ours"}
	r.SetFaults(relay.Fault{Of: ours, Effect: relay.LostAnswer{}})
	create := func(namespace string) error {
		_, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
		return err
	}
	g.Expect(create("theirs")).To(Succeed())
	g.Expect(create("ours")).NotTo(Succeed())
	everywhere := relay.Request{Verb: "create", Resource: "configmaps"}
	g.Expect(ours.Selects(everywhere)).To(BeTrue(), "a request that names no namespace may be about any")
}

func TestACreationByServerSideApplyIsToldFromAPatch(t *testing.T) {
	g := NewWithT(t)
	var written, met atomic.Int32
	r, client := through(t, writable(t, &written))
	r.SetFaults(relay.Fault{
		Of: relay.Selector{Verbs: []string{"create", relay.Apply}, Resource: "configmaps"}, Effect: relay.LostAnswer{},
		Met: func(relay.Request) func() { met.Add(1); return func() {} },
	})
	maps := client.CoreV1().ConfigMaps("ns")
	_, err := maps.Patch(t.Context(), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(met.Load()).To(BeZero())
	_, err = maps.Patch(t.Context(), "a", types.ApplyPatchType, []byte(`{}`), metav1.PatchOptions{FieldManager: "m"})
	g.Expect(err).To(HaveOccurred())
	g.Expect(met.Load()).To(BeEquivalentTo(1))
}

func TestRequestsAreRefusedInThePlaceOfTheAPIServer(t *testing.T) {
	for _, code := range relay.RefusalCodes() {
		g := NewWithT(t)
		var written atomic.Int32
		r, client := through(t, writable(t, &written))
		ended := false
		r.SetFaults(relay.Fault{Of: creations(), Effect: relay.Refused{Code: code}, Met: func(relay.Request) func() { return func() { ended = true } }})
		_, err := client.CoreV1().ConfigMaps("ns").Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
		if code == http.StatusTooManyRequests {
			g.Expect(err).NotTo(HaveOccurred(), "client-go asks again by itself")
		} else {
			var status apierrors.APIStatus
			g.Expect(err).To(BeAssignableToTypeOf(&apierrors.StatusError{}))
			g.Expect(err).To(Satisfy(func(error) bool { status, _ = err.(apierrors.APIStatus); return int(status.Status().Code) == code }), "%v", err)
			g.Expect(written.Load()).To(BeZero(), "the API server hears nothing of it")
		}
		g.Expect(ended).To(BeTrue())
	}
}

func TestWhoIsToldToWaitIsRefusedUntilThen(t *testing.T) {
	g := NewWithT(t)
	var written atomic.Int32
	r, client := through(t, writable(t, &written))
	var met, ended atomic.Int32
	r.SetFaults(relay.Fault{
		Of: creations(), Effect: relay.Refused{Code: http.StatusTooManyRequests, RetryAfter: time.Second},
		Met: func(relay.Request) func() { met.Add(1); return func() { ended.Add(1) } },
	})
	maps := client.CoreV1().ConfigMaps("ns")
	// This one does not wait.
	hasty := client.CoreV1().RESTClient().Post().Namespace("ns").Resource("configmaps").Body(&corev1.ConfigMap{}).MaxRetries(0)
	began := time.Now()
	err := hasty.Do(t.Context()).Error()
	g.Expect(apierrors.IsTooManyRequests(err)).To(BeTrue(), "%v", err)
	_, suggested := apierrors.SuggestsClientDelay(err)
	g.Expect(suggested).To(BeTrue())
	g.Expect(ended.Load()).To(BeZero(), "it may not ask again yet")
	_, err = maps.Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(time.Since(began)).To(BeNumerically(">=", time.Second))
	g.Expect(met.Load()).To(BeEquivalentTo(2))
	g.Eventually(ended.Load, "5s").Should(BeEquivalentTo(2))
	g.Expect(written.Load()).To(BeEquivalentTo(1))
}

func TestAFaultThatNobodyWantsIsNone(t *testing.T) {
	g := NewWithT(t)
	var written atomic.Int32
	r, client := through(t, writable(t, &written))
	r.SetFaults(relay.Fault{Of: creations(), Effect: relay.LostAnswer{}, Met: func(relay.Request) func() { return nil }})
	_, err := client.CoreV1().ConfigMaps("ns").Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	r.SetFaults(relay.Fault{Of: creations(), Effect: relay.LostAnswer{}})
	r.SetFaults()
	_, err = client.CoreV1().ConfigMaps("ns").Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
}
