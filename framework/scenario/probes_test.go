package scenario

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/fixtures/workload/probe"
	"github.com/rollcall-conformance/rollcall/fixtures/workload/server"
	"github.com/rollcall-conformance/rollcall/fixtures/workload/settings"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestPortsAreInTheirRangesAndApart(t *testing.T) {
	const ephemeral = 30000
	for i := range 3000 {
		name := fmt.Sprintf("surge-%03d-%08x", i%27, i*7919)
		for n := range portsPerBlock {
			if port := portOf(name, n); port < firstPort || port >= firstProbePort || (port-firstPort)%portsPerBlock != int32(n) {
				t.Fatalf("port %d of %s is %d", n, name, port)
			}
		}
		if port := probePort(name, "surge"); port < firstProbePort || port >= ephemeral {
			t.Fatalf("the probe port of %s is %d", name, port)
		}
	}
	NewWithT(t).Expect(probePort("a", "surge")).NotTo(Equal(probePort("a", "maxUnavailable")))
}

func TestAProbeHasNothingOfADaemonPod(t *testing.T) {
	for _, target := range []Target{OnPort(20001), OnSocket("/run/rollcall/a/daemon.sock")} {
		t.Run(target.String(), func(t *testing.T) {
			g := NewWithT(t)
			pod := probePod("rollcall.dev/probe:v1", "worker", target, 25000)
			g.Expect(pod.OwnerReferences).To(BeEmpty())
			g.Expect(pod.Labels).NotTo(HaveKey("app"))
			g.Expect(pod.Spec.NodeName).To(Equal("worker"))
			g.Expect(pod.Spec.ActiveDeadlineSeconds).NotTo(BeNil(), "what is forgotten ends by itself")
			g.Expect(pod.Spec.Containers[0].Args).To(Equal([]string{"-interval=5ms", "-timeout=10s", "-control=:25000", target.network, target.address}))
		})
	}
}

func TestOnlyAProbeOfASocketSeesItsFolder(t *testing.T) {
	g := NewWithT(t)
	g.Expect(probePod("rollcall.dev/probe:v1", "worker", OnPort(20001), 25000).Spec.Volumes).To(BeEmpty())
	pod := probePod("rollcall.dev/probe:v1", "worker", OnSocket("/run/rollcall/a/daemon.sock"), 25000)
	g.Expect(pod.Spec.Volumes).To(HaveLen(1))
	g.Expect(pod.Spec.Volumes[0].HostPath.Path).To(Equal("/run/rollcall/a"))
	g.Expect(pod.Spec.Containers[0].VolumeMounts).To(ConsistOf(corev1.VolumeMount{Name: "socket", MountPath: "/run/rollcall/a"}))
}

func TestAResultBecomesAMeasurement(t *testing.T) {
	got := measurementOf("worker", "surge", probe.Result{
		Target: "tcp:127.0.0.1:1", Lasted: 2000, Sent: 400, Failed: 3, LongestSilence: 240.5, SilenceAt: 700,
		Answers: []probe.Answers{{
			Answer: server.Answer{Identity: settings.Identity{Pod: "daemon-a", Version: "v1"}, Instance: "x"}, Count: 397, First: 1, Last: 1999,
		}},
		Failures: []probe.Failure{{At: 701, Error: "refused"}},
	})
	NewWithT(t).Expect(got).To(Equal(history.Measurement{
		Node: "worker", Target: "tcp:127.0.0.1:1", During: "surge", Lasted: 2 * time.Second, Sent: 400, Failed: 3,
		LongestSilence: 240500 * time.Microsecond, SilenceAt: 700 * time.Millisecond,
		Answers:       []history.Answers{{Pod: "daemon-a", Version: "v1", Count: 397, First: time.Millisecond, Last: 1999 * time.Millisecond}},
		FirstFailures: []history.FailedRequest{{At: 701 * time.Millisecond, Error: "refused"}},
	}))
}

func TestAProbeIsAskedThroughTheAPIServer(t *testing.T) {
	apiServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "POST /api/v1/namespaces/a-probes/pods/probe-x:25000/proxy/stop":
			_, _ = w.Write([]byte(`{"target": "tcp:127.0.0.1:1", "sent": 7}`))
		case "GET /api/v1/namespaces/a-probes/pods/probe-x:25000/proxy/result":
			http.Error(w, "connection refused", http.StatusServiceUnavailable)
		default:
			_, _ = w.Write([]byte("who?"))
		}
	}))
	t.Cleanup(apiServer.Close)
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: apiServer.URL}).CoreV1().RESTClient()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a-probes", Name: "probe-x"}}
	g := NewWithT(t)
	result, err := askProbe(t.Context(), client, pod, 25000, "POST", "stop")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(result.Sent).To(Equal(7))
	_, err = askProbe(t.Context(), client, pod, 25000, "GET", "result")
	g.Expect(err).To(MatchError(ContainSubstring("GET /result of probe probe-x")))
	_, err = askProbe(t.Context(), client, pod, 25000, "GET", "nothing")
	g.Expect(err).To(MatchError(ContainSubstring("invalid character")), "an answer that is no result")
}
