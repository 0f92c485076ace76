package lever_test

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// ground is a cluster whose nodes are of one kind.
type ground struct {
	kind    scenario.NodeKind
	config  *rest.Config
	client  kubernetes.Interface
	workers []string
}

func (g *ground) real() bool { return g.kind == scenario.Real }

// levers are the ones for the ground's nodes, beside those of any scenario. They can only refuse: they have no recording.
func (g *ground) levers() lever.Pods {
	if g.real() {
		return lever.Real{Client: g.client}
	}
	return lever.Simulated{Client: g.client}
}

// bench is one pod of a scenario's template on one node, under recording.
type bench struct {
	*scenario.Scenario
	ground *ground
	t      *testing.T
	ctx    context.Context
	pod    *corev1.Pod
}

// newBench makes the pod from the template after the edits.
func newBench(t *testing.T, g *ground, edits ...scenario.Edit) *bench {
	t.Helper()
	b := newScenario(t, g)
	node := b.AddNodes(b.ctx, 1)[0]
	template := b.NewDaemonSet("daemon", edits...).Spec.Template
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name, pod.Spec.NodeName = "pod", node
	var err error
	if b.pod, err = g.client.CoreV1().Pods(b.Namespace()).Create(b.ctx, pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// newScenario has neither nodes nor pods yet.
func newScenario(t *testing.T, g *ground) *bench {
	t.Helper()
	name := strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:])
	name = strings.NewReplacer("_", "-", ",", "").Replace(name)
	b := &bench{ground: g, t: t, ctx: t.Context()}
	b.Scenario = scenario.Start(b.ctx, t, scenario.Environment{
		Config: g.config, RealNodes: g.workers, OnlyRealNodes: g.real(), NodeKind: g.kind, Recordings: t.TempDir(),
	}, name, t.Name())
	t.Cleanup(func() {
		cleaning, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), time.Minute)
		defer cancel()
		if err := b.Clean(cleaning); err != nil {
			t.Error(err)
		}
	})
	return b
}

// never is an edit for pods that no DaemonSet could have.
func never() scenario.Edit {
	return scenario.Edit{Says: "restart policy Never", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	}}
}

func (b *bench) require(what string, condition func(*corev1.Pod) bool) {
	b.t.Helper()
	b.Require(b.ctx, what, state.When(what, func(cluster *history.Cluster) bool { return condition(cluster.Pods[b.pod.UID]) }))
}

func (b *bench) requireReady() {
	b.t.Helper()
	b.require("ready", ready)
}

func ready(pod *corev1.Pod) bool { return pod != nil && history.IsReady(pod) }

func gone(pod *corev1.Pod) bool { return pod == nil }

// lives returns every state that the pod was in, in order.
func (b *bench) lives() []history.Entry {
	b.t.Helper()
	h, err := b.Finish(b.ctx, history.Ending{})
	if err != nil {
		b.t.Fatal(err)
	}
	var lives []history.Entry
	for _, entry := range h.Entries {
		if entry.Kind == history.KindPod && entry.Object.GetUID() == b.pod.UID {
			lives = append(lives, entry)
		}
	}
	return lives
}

// readiness is what the pod said of itself until it was deleted, told once for each change.
func readiness(lives []history.Entry) []bool {
	var readiness []bool
	for _, life := range lives {
		pod := life.Object.(*corev1.Pod)
		if pod.DeletionTimestamp != nil {
			break
		}
		if now := ready(pod); len(readiness) == 0 || readiness[len(readiness)-1] != now {
			readiness = append(readiness, now)
		}
	}
	return readiness
}

// terminating is how long the pod was, to the recording's eye.
func terminating(lives []history.Entry) time.Duration {
	for _, life := range lives {
		if life.Object.(*corev1.Pod).DeletionTimestamp != nil {
			return lives[len(lives)-1].Received - life.Received
		}
	}
	return 0
}
