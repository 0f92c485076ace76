package kind

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
)

// The pods' network is ours on every image, so that clusters behave alike: an image built without a registry has nothing of kind's. A unit of systemd
// sets it up at every boot; see fixtures/kind/network.sh.

const (
	routesPath  = "/etc/rollcall/routes"
	networkUnit = "rollcall-network.service"
)

// machineNetwork is where a node and its pods can be reached; a machine that is switched off has no address.
type machineNetwork struct{ node, address, podCIDR string }

// bringUpNetwork gives every node's pods a network, without waiting for it.
func (c *Cluster) bringUpNetwork(ctx context.Context) error {
	networks, err := c.networks(ctx)
	if err != nil {
		return fmt.Errorf("set up the pods' network: %w", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, own := range networks {
		group.Go(func() error {
			if err := c.installNetwork(ctx, own, routes(own.node, networks)); err != nil {
				return fmt.Errorf("set up the pods' network on %s: %w", own.node, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (c *Cluster) installNetwork(ctx context.Context, own machineNetwork, routes string) error {
	conflist, err := conflist(own.podCIDR)
	if err != nil {
		return err
	}
	files := map[string]string{routesPath: routes, "/etc/rollcall/network.conflist": conflist}
	for path, name := range map[string]string{"/etc/rollcall/network.sh": "network.sh", "/etc/systemd/system/" + networkUnit: "network.service"} {
		if files[path], err = fixture(name); err != nil {
			return err
		}
	}
	for path, text := range files {
		if err := nodeutils.WriteFile(c.machines[own.node], path, text); err != nil {
			return err
		}
	}
	_, err = c.Run(ctx, own.node, "systemctl", "enable", "--now", networkUnit)
	return err
}

// refreshRoutes tells all nodes where the others are now.
func (c *Cluster) refreshRoutes(ctx context.Context) error {
	networks, err := c.networks(ctx)
	if err != nil {
		return fmt.Errorf("look for the nodes' addresses: %w", err)
	}
	for _, own := range networks {
		if own.address == "" {
			continue
		}
		if err := nodeutils.WriteFile(c.machines[own.node], routesPath, routes(own.node, networks)); err != nil {
			return fmt.Errorf("write the routes of %s: %w", own.node, err)
		}
		if _, err := c.Run(ctx, own.node, "ip", "-batch", routesPath); err != nil {
			return err
		}
	}
	return nil
}

// routes are the commands for `ip -batch` by which a node reaches the pods of all others.
func routes(node string, networks []machineNetwork) string {
	var text strings.Builder
	for _, other := range networks {
		if other.node != node && other.address != "" {
			fmt.Fprintf(&text, "route replace %s via %s\n", other.podCIDR, other.address)
		}
	}
	return text.String()
}

// conflist is the configuration of a node's network plugins.
func conflist(podCIDR string) (string, error) {
	text, err := fixture("network.conflist")
	if err != nil {
		return "", err
	}
	parsed, err := template.New("network.conflist").Parse(text)
	if err != nil {
		return "", err
	}
	var filled bytes.Buffer
	err = parsed.Execute(&filled, struct{ PodCIDR string }{podCIDR})
	return filled.String(), err
}

// networks waits until every node has a range of addresses for its pods.
func (c *Cluster) networks(ctx context.Context) ([]machineNetwork, error) {
	var networks []machineNetwork
	err := wait.PollUntilContextTimeout(ctx, pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		list, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		networks = nil
		for _, node := range list.Items {
			machine := c.machines[node.Name]
			if machine == nil || node.Spec.PodCIDR == "" {
				continue
			}
			address, _, err := machine.IP()
			if err != nil {
				return false, err
			}
			networks = append(networks, machineNetwork{node: node.Name, address: address, podCIDR: node.Spec.PodCIDR})
		}
		return len(networks) == len(c.machines), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%d of %d nodes have a podCIDR: %w", len(networks), len(c.machines), err)
	}
	return networks, nil
}

const (
	// pollInterval is how often the provider looks whether what it waits for has come.
	pollInterval = 200 * time.Millisecond
	// readyTimeout bounds each wait for something that takes seconds on an idle machine.
	readyTimeout = 3 * time.Minute
)

// awaitUsable waits until pods can be scheduled to every worker and resolve names.
func (c *Cluster) awaitUsable(ctx context.Context) error {
	var missing []string
	err := wait.PollUntilContextTimeout(ctx, pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		dns, err := c.client.AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "coredns", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		missing = nil
		for _, node := range nodes.Items {
			if c.machines[node.Name] != nil && !usable(&node) {
				missing = append(missing, "node "+node.Name)
			}
		}
		if dns.Status.AvailableReplicas < max(1, dns.Status.Replicas) {
			missing = append(missing, "CoreDNS")
		}
		return len(missing) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s to be ready: %w", strings.Join(missing, ", "), err)
	}
	return nil
}

// usable reports whether the node is Ready and the taints say so too.
func usable(node *corev1.Node) bool {
	return cluster.IsReady(node) && !slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == corev1.TaintNodeNotReady || taint.Key == corev1.TaintNodeUnreachable
	})
}
