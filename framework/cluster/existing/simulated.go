package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
)

// SimulatedNodes are the marks of nodes that nobody is behind, beside those of the cluster.
func SimulatedNodes() kwok.Nodes { return kwok.Nodes{Foreign: true} }

// checkSimulatedLabels says which nodes have the label of simulated ones and are none: a run would take over and remove them.
func (c *Cluster) checkSimulatedLabels(ctx context.Context) error {
	list, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: kwok.ForeignLabel})
	if err != nil {
		return fmt.Errorf("look for simulated nodes: %w", err)
	}
	var strange []error
	for _, node := range list.Items {
		isOurs := func(taint corev1.Taint) bool { return taint.Key == kwok.ForeignLabel }
		if !slices.ContainsFunc(node.Spec.Taints, isOurs) {
			strange = append(strange, unsuitable("node %s has the label %s, by which rollcall knows the nodes that it simulates, and is none: "+
				"`kubectl label node %s %s-`", node.Name, kwok.ForeignLabel, node.Name, kwok.ForeignLabel))
		}
	}
	return errors.Join(strange...)
}

// What KWOK leaves in a cluster in which it is installed: the group of its kinds, the labels of its Deployment, as its manifests and its chart have
// them, and the annotation of the nodes that it simulates by default.
const (
	kwokGroup      = "kwok.x-k8s.io"
	kwokAnnotation = "kwok.x-k8s.io/node"
)

func kwokSelectors() []string { return []string{"app=kwok-controller", "app.kubernetes.io/name=kwok"} }

// noOtherKWOK makes sure that nobody else simulates nodes in the cluster: two would act on the same ones.
func (c *Cluster) noOtherKWOK(ctx context.Context) error {
	var signs []string
	groups, err := c.client.Discovery().ServerGroups()
	if err != nil {
		return fmt.Errorf("look for KWOK: %w", err)
	}
	for _, group := range groups.Groups {
		if group.Name == kwokGroup {
			signs = append(signs, "it serves kinds of "+kwokGroup)
		}
	}
	for _, selector := range kwokSelectors() {
		deployments, err := c.client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return fmt.Errorf("look for KWOK: %w", err)
		}
		for _, deployment := range deployments.Items {
			signs = append(signs, fmt.Sprintf("Deployment %s/%s is KWOK's", deployment.Namespace, deployment.Name))
		}
	}
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("look for KWOK: %w", err)
	}
	for _, node := range nodes.Items {
		if _, simulated := node.Annotations[kwokAnnotation]; simulated {
			signs = append(signs, fmt.Sprintf("node %s has the annotation %s", node.Name, kwokAnnotation))
			break
		}
	}
	if len(signs) > 0 {
		return unsuitable("KWOK is in the cluster already, and might simulate the same nodes (%s): remove it, or run without simulated nodes", strings.Join(signs, "; "))
	}
	return nil
}

// startKWOK has nodes simulated beside the cluster, if that is wanted.
func (c *Cluster) startKWOK(ctx context.Context) (err error) {
	if !c.options.Simulate {
		return nil
	}
	c.kwok, err = kwok.Simulate(ctx, kwok.Options{
		Nodes: SimulatedNodes(), Path: c.options.KWOK, Kubeconfig: c.kubeconfig, Dir: c.dir, LogPath: c.options.KWOKLog, ReadyTimeout: answerTimeout,
	})
	return err
}

// stopKWOK ends it. What it simulates is gone by then.
func (c *Cluster) stopKWOK(ctx context.Context) error {
	if c.kwok == nil {
		return nil
	}
	defer func() { c.kwok = nil }()
	return c.kwok.Stop(ctx)
}
