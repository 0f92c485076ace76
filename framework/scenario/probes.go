package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/fixtures/workload/probe"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// probeLook is how often a probe that is coming up is asked for its result.
const probeLook = 100 * time.Millisecond

// Probes are clients at work, one on each of some nodes. They run in a namespace that is not recorded: the history has what they measured, not them.
type Probes struct {
	s      *Scenario
	during string
	pods   []*corev1.Pod
	port   int32
}

// StartProbes starts a client on each of the nodes, which calls the target there without pause, and returns once every one has had an answer: so what
// is to answer must be there. during says what the scenario does meanwhile; it must be another one each time, and names the measurements. The
// probes end with Collect, or with the scenario.
func (s *Scenario) StartProbes(ctx context.Context, during string, nodes []string, target Target) *Probes {
	s.tb.Helper()
	if s.kind != Real {
		s.tb.Fatalf("harness: probe %s: nothing serves on simulated nodes, the spec must be on real nodes", target)
	}
	p := &Probes{s: s, during: during, pods: make([]*corev1.Pod, len(nodes)), port: probePort(s.namespace, during)}
	s.makeProbeNamespace(ctx)
	stimulus := history.Stimulus{Act: history.StartProbes, Detail: fmt.Sprintf("of %s, during %s", target, during)}
	s.must(s.Do(ctx, stimulus, func(ctx context.Context) error { return p.start(ctx, nodes, target) }), "start probes of %s", target)
	return p
}

// start makes a probe on each node and waits until every one has had an answer.
func (p *Probes) start(ctx context.Context, nodes []string, target Target) error {
	var group errgroup.Group
	for i, node := range nodes {
		group.Go(func() (err error) {
			pod := probePod(p.s.env.Images.Probe(), node, target, p.port)
			p.pods[i], err = p.s.admin.CoreV1().Pods(p.s.probeNamespace()).Create(ctx, pod, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("node %s: %w", node, err)
			}
			return p.awaitAnswer(ctx, p.pods[i])
		})
	}
	return group.Wait()
}

// Collect ends the probes and records what they measured, which it returns too, in the order of the nodes.
func (p *Probes) Collect(ctx context.Context) []history.Measurement {
	p.s.tb.Helper()
	measurements := make([]history.Measurement, len(p.pods))
	var group errgroup.Group
	for i, pod := range p.pods {
		group.Go(func() error {
			result, err := p.ask(ctx, pod, "POST", "stop")
			if err != nil {
				return fmt.Errorf("node %s: %w", pod.Spec.NodeName, err)
			}
			measurements[i] = measurementOf(pod.Spec.NodeName, p.during, result)
			// At once: the end of the measurement is taken to be now.
			return p.s.recorder.Measurement(measurements[i])
		})
	}
	p.s.must(group.Wait(), "collect what probes measured during %s", p.during)
	return measurements
}

// awaitAnswer waits until the pod's probe runs and has been answered.
func (p *Probes) awaitAnswer(ctx context.Context, pod *corev1.Pod) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, probeLook, p.s.env.Patience, true, func(ctx context.Context) (bool, error) {
		result, err := p.ask(ctx, pod, "GET", "result")
		if err == nil && result.Sent == result.Failed {
			err = fmt.Errorf("none of %d requests was answered: %v", result.Sent, result.Failures)
		}
		last = err
		return err == nil, nil
	})
	if err == nil {
		return nil
	}
	if last == nil {
		last = err
	}
	return fmt.Errorf("node %s: no answer within %s: %w%s", pod.Spec.NodeName, p.s.env.Patience, last, p.waiting(ctx, pod))
}

// waiting says what keeps the pod from running, if its kubelet says so.
func (p *Probes) waiting(ctx context.Context, pod *corev1.Pod) string {
	now, err := p.s.admin.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		return "; " + err.Error()
	}
	for _, status := range now.Status.ContainerStatuses {
		if status.State.Waiting != nil {
			return fmt.Sprintf("; its container waits: %s: %s", status.State.Waiting.Reason, status.State.Waiting.Message)
		}
	}
	return fmt.Sprintf("; the pod is %s", now.Status.Phase)
}

// ask sends a request to the control port of the pod's probe, through the API server.
func (p *Probes) ask(ctx context.Context, pod *corev1.Pod, verb, path string) (probe.Result, error) {
	return askProbe(ctx, p.s.admin.CoreV1().RESTClient(), pod, p.port, verb, path)
}

func askProbe(ctx context.Context, client rest.Interface, pod *corev1.Pod, port int32, verb, path string) (probe.Result, error) {
	var result probe.Result
	body, err := client.Verb(verb).Namespace(pod.Namespace).Resource("pods").SubResource("proxy").
		Name(utilnet.JoinSchemeNamePort("", pod.Name, strconv.Itoa(int(port)))).Suffix(path).Do(ctx).Raw()
	if err != nil {
		return result, fmt.Errorf("%s /%s of probe %s: %w", verb, path, pod.Name, err)
	}
	if err := json.Unmarshal(body, &result); err != nil {
		return result, fmt.Errorf("%s /%s of probe %s: %w", verb, path, pod.Name, err)
	}
	return result, nil
}

func (s *Scenario) probeNamespace() string { return s.namespace + "-probes" }

// makeProbeNamespace makes the namespace for probes, unless it is there. It belongs to the scenario's own, so that it goes with it.
func (s *Scenario) makeProbeNamespace(ctx context.Context) {
	s.tb.Helper()
	owner, err := s.admin.CoreV1().Namespaces().Get(ctx, s.namespace, metav1.GetOptions{})
	s.must(err, "get namespace %s", s.namespace)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: s.probeNamespace(), Labels: s.namespaceLabels(),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Namespace", Name: owner.Name, UID: owner.UID}},
	}}
	_, err = s.admin.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		err = nil
	}
	s.must(err, "create namespace %s", namespace.Name)
	s.awaitServiceAccount(ctx, namespace.Name)
}

// measurementOf puts a probe's result into the words of a recording.
func measurementOf(node, during string, result probe.Result) history.Measurement {
	measurement := history.Measurement{
		Node: node, Target: result.Target, During: during, Lasted: result.Lasted.Duration(), Sent: result.Sent, Failed: result.Failed,
		LongestSilence: result.LongestSilence.Duration(), SilenceAt: result.SilenceAt.Duration(),
	}
	for _, a := range result.Answers {
		measurement.Answers = append(measurement.Answers, history.Answers{
			Pod: a.Pod, Version: a.Version, Count: a.Count, First: a.First.Duration(), Last: a.Last.Duration(),
		})
	}
	for _, f := range result.Failures {
		measurement.FirstFailures = append(measurement.FirstFailures, history.FailedRequest{At: f.At.Duration(), Error: f.Error})
	}
	return measurement
}
