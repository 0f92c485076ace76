package implementation

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// nothing are machines on which every command prints this.
type nothing string

func (n nothing) LoadImages(context.Context, string) error { return errors.New("there is no room") }

func (n nothing) Run(context.Context, string, ...string) (string, error) { return string(n), nil }

// inCluster is a Deployment with these pods in a cluster that only remembers.
func inCluster(t *testing.T, machines Machines, pods ...*corev1.Pod) *Running {
	t.Helper()
	builder := fake.NewClientBuilder().WithObjects(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "mine", Name: "controller"},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "controller"}}},
	})
	for _, pod := range pods {
		builder = builder.WithObjects(pod)
	}
	return &Running{&deployed{
		name: "mine", client: builder.Build(), machines: machines, replicas: 1,
		spec: &ImageSpec{Deployment: types.NamespacedName{Namespace: "mine", Name: "controller"}},
	}}
}

func TestWhatCannotBeDoneToADeploymentSaysWhy(t *testing.T) {
	g := NewWithT(t)
	host := podWith(corev1.ContainerStatus{})
	host.Spec.HostNetwork = true
	err := inCluster(t, nothing(""), host).CutOff(t.Context())
	g.Expect(err).To(MatchError(errors.ErrUnsupported))
	g.Expect(err).To(MatchError(HavePrefix("cutting off mine: pod controller-1 is in its node's network")))

	unreachable := inCluster(t, nil, podWith(corev1.ContainerStatus{}))
	for _, act := range []func(context.Context) error{unreachable.Suspend, unreachable.Crash, unreachable.Kill} {
		err := act(t.Context())
		g.Expect(err).To(MatchError(errors.ErrUnsupported))
		g.Expect(err).To(MatchError(ContainSubstring("nobody reaches the machines behind these nodes")))
	}

	without := inCluster(t, nothing("0\n"), podWith(corev1.ContainerStatus{}))
	g.Expect(without.Suspend(t.Context())).To(MatchError(HavePrefix("suspending mine: SIGSTOP to pod controller-1: it has no processes")))
	g.Expect(without.Crash(t.Context())).To(MatchError(HavePrefix("crashing mine: SIGKILL to pod controller-1: it has no processes")))

	down := inCluster(t, nothing("1\n"))
	for doing, act := range map[string]func(context.Context) error{
		"crashing": down.Crash, "suspending": down.Suspend, "resuming": down.Resume,
		"cutting off": down.CutOff, "reconnecting": down.Reconnect, "deleting the pods of": down.DeletePod,
	} {
		err := act(t.Context())
		g.Expect(err).To(MatchError(errDown))
		g.Expect(err).To(MatchError(HavePrefix(doing + " mine: ")))
	}

	ended := inCluster(t, nothing("1\n"), podWith(corev1.ContainerStatus{LastTerminationState: endedAt(time.Now())}))
	g.Expect(ended.ExitStatus()).To(ContainSubstring("with exit code 2 (Error)"))
	for _, act := range []func(context.Context) error{
		ended.Crash, ended.Suspend, ended.CutOff, ended.DeletePod, ended.Kill, ended.Restart,
	} {
		g.Expect(act(t.Context())).To(MatchError(ContainSubstring("it ended by itself before")))
	}
}
