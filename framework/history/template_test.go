package history_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// The template of a DaemonSet has the defaults of pods; that of another workload need not.
func TestAPodHasThePortsOfItsTemplateWithTheirDefaults(t *testing.T) {
	with := func(hostNetwork bool, ports ...corev1.ContainerPort) corev1.PodSpec {
		return corev1.PodSpec{HostNetwork: hostNetwork, Containers: []corev1.Container{{Name: "a", Ports: ports}}}
	}
	bare := corev1.ContainerPort{ContainerPort: 80}
	tcp := corev1.ContainerPort{ContainerPort: 80, Protocol: corev1.ProtocolTCP}
	onHost := corev1.ContainerPort{ContainerPort: 80, HostPort: 80, Protocol: corev1.ProtocolTCP}
	for name, tt := range map[string]struct {
		pod, template corev1.PodSpec
		want          bool
	}{
		"as it is":                    {with(false, tcp), with(false, tcp), true},
		"the protocol":                {with(false, tcp), with(false, bare), true},
		"another protocol":            {with(false, tcp), with(false, corev1.ContainerPort{ContainerPort: 80, Protocol: corev1.ProtocolUDP}), false},
		"the node's port":             {with(true, onHost), with(true, bare), true},
		"the node's port, not wanted": {with(false, onHost), with(false, bare), false},
		"no port":                     {with(false, tcp), with(false), false},
	} {
		got := history.MatchesTemplate(&corev1.Pod{Spec: tt.pod}, &corev1.PodTemplateSpec{Spec: tt.template})
		if got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

func TestWhatAControllerLabelsNeedNotBeAsItsTemplateHasIt(t *testing.T) {
	template := &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
		"app": "agent", appsv1.ControllerRevisionHashLabelKey: "another", history.TemplateGenerationLabel: "7",
	}}}
	for app, want := range map[string]bool{"agent": true, "other": false} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
			"app": app, appsv1.ControllerRevisionHashLabelKey: "own", history.TemplateGenerationLabel: "1",
		}}}
		if got := history.MatchesTemplate(pod, template); got != want {
			t.Errorf("a pod labelled app=%s: %t, want %t", app, got, want)
		}
	}
}

func TestTheDaemonsTagIsFoundBesideWhatAdmissionAdds(t *testing.T) {
	for name, tt := range map[string]struct {
		containers []corev1.Container
		want       bool
	}{
		"alone":                        {[]corev1.Container{{Name: "daemon", Image: "r:5000/daemon:v2"}}, true},
		"of another name":              {[]corev1.Container{{Name: "member", Image: "r/daemon:v2"}}, true},
		"behind another":               {[]corev1.Container{{Name: "proxy", Image: "mesh:v1"}, {Name: "daemon", Image: "daemon:v2"}}, true},
		"with a digest":                {[]corev1.Container{{Name: "daemon", Image: "daemon:v2@sha256:abc"}}, true},
		"the other container's":        {[]corev1.Container{{Name: "proxy", Image: "mesh:v2"}, {Name: "daemon", Image: "daemon:v1"}}, false},
		"none, in a registry's port's": {[]corev1.Container{{Name: "daemon", Image: "r:v2/daemon"}}, false},
		"no container":                 {nil, false},
	} {
		if got := history.HasTag(&corev1.PodSpec{Containers: tt.containers}, "v2"); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}
