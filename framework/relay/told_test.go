package relay_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// watchOf sends one event in the media type, and stays open.
func watchOf(t *testing.T, mediaType string, object runtime.Object) *httptest.Server {
	t.Helper()
	g := NewWithT(t)
	info, found := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
	g.Expect(found).To(BeTrue())
	var encoded, sent bytes.Buffer
	g.Expect(scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion).Encode(object, &encoded)).To(Succeed())
	event := &metav1.WatchEvent{Type: string(watch.Added), Object: runtime.RawExtension{Raw: encoded.Bytes()}}
	encoder := scheme.Codecs.EncoderForVersion(info.StreamSerializer.Serializer, corev1.SchemeGroupVersion)
	g.Expect(encoder.Encode(event, &sent)).To(Succeed())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		g.Expect(request.Header.Get("Accept-Encoding")).To(Equal("identity"), "what is compressed cannot be read along")
		w.Header().Set("Content-Type", mediaType+";stream=watch")
		_, _ = info.StreamSerializer.Framer.NewFrameWriter(w).Write(sent.Bytes())
		w.(http.Flusher).Flush()
		<-request.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server
}

func TestTheRelayTellsWhatAWatchHasDelivered(t *testing.T) {
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(mediaType, func(t *testing.T) {
			g := NewWithT(t)
			r, client := through(t, watchOf(t, mediaType, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "u", ResourceVersion: "12"}}))
			told := func(after string) error {
				brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				return r.AwaitTold(brief, "u", after)
			}
			r.DelayWatches(time.Hour)
			events, err := client.CoreV1().ConfigMaps("ns").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(told("")).To(MatchError(context.DeadlineExceeded), "it is on its way")
			r.DelayWatches(0)
			g.Eventually(events.ResultChan(), "5s").Should(Receive(HaveField("Object.Name", "a")))
			g.Eventually(func() error { return told("11") }, "5s").Should(Succeed())
			g.Expect(told("")).To(Succeed())
			g.Expect(told("12")).To(MatchError(context.DeadlineExceeded), "it was delivered in no later version")
			events.Stop()
			g.Eventually(func() error { return told("") }, "5s").Should(MatchError(context.DeadlineExceeded), "who watches next has been told nothing yet")
		})
	}
}
