package lever_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
)

// TestWaitsUntilTheServerListens has the API server's proxy fail as it does for a pod whose container has just started, and in other ways.
func TestWaitsUntilTheServerListens(t *testing.T) {
	const reach = "error trying to reach service: "
	for name, test := range map[string]struct {
		answer *apierrors.StatusError
		// asked is how often the server was, where it gives that answer twice before it does what it is asked.
		asked int
		fails string
	}{
		"nobody listens yet":             {apierrors.NewServiceUnavailable(reach + "dial tcp 10.0.0.1:8080: connect: connection refused"), 3, ""},
		"the server ends before it says": {apierrors.NewServiceUnavailable(reach + "EOF"), 1, "EOF"},
		"the server does not know it":    {apierrors.NewBadRequest("connection refused is no lever"), 1, "no lever"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked int
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked++; asked < 3 {
					status := test.answer.Status()
					status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
					w.Header().Set("Content-Type", runtime.ContentTypeJSON)
					w.WriteHeader(int(status.Code))
					_ = json.NewEncoder(w).Encode(status)
				}
			}))
			defer server.Close()
			config := &rest.Config{Host: server.URL}
			levers := lever.Real{Client: kubernetes.NewForConfigOrDie(config), Recorder: unrecorded{}}
			err := levers.HoldTermination(t.Context(), served())
			g := NewWithT(t)
			g.Expect(asked).To(Equal(test.asked))
			if test.fails == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(ContainSubstring(test.fails)))
			}
		})
	}
}

// served is a pod with a workload server.
func served() *corev1.Pod {
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(8080)}}}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "pod"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "daemon", ReadinessProbe: probe}}},
	}
}

// unrecorded carries stimuli out, and writes nothing down.
type unrecorded struct{}

func (unrecorded) Do(ctx context.Context, _ history.Stimulus, act func(context.Context) error) error {
	return act(ctx)
}

func (unrecorded) Await(context.Context, func(*history.Cluster) bool) error { return nil }
