package kind

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	nodeutil "k8s.io/component-helpers/node/util"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
)

// loadsAtOnce is how many machines unpack images at the same time.
const loadsAtOnce = 3

// Workers implements cluster.Machines.
func (c *Cluster) Workers() []string { return slices.Clone(c.workers) }

func (c *Cluster) machine(node string) (nodes.Node, error) {
	machine := c.machines[node]
	if machine == nil {
		return nil, fmt.Errorf("there is no machine behind node %s in kind cluster %s", node, c.name)
	}
	return machine, nil
}

// LoadImages implements cluster.Machines.
func (c *Cluster) LoadImages(ctx context.Context, archive string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadsAtOnce)
	for name, machine := range c.machines {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			file, err := os.Open(archive)
			if err != nil {
				return fmt.Errorf("load images: %w", err)
			}
			defer file.Close()
			if err := nodeutils.LoadImageArchive(machine, file); err != nil {
				return fmt.Errorf("load %s into %s: %w", archive, name, withOutput(err))
			}
			return nil
		})
	}
	return group.Wait()
}

// Run implements cluster.Machines.
func (c *Cluster) Run(ctx context.Context, node string, command ...string) (string, error) {
	machine, err := c.machine(node)
	if err != nil {
		return "", err
	}
	if len(command) == 0 {
		return "", fmt.Errorf("run something on %s: there is no command", node)
	}
	var stdout, stderr bytes.Buffer
	err = machine.CommandContext(ctx, command[0], command[1:]...).SetStdout(&stdout).SetStderr(&stderr).Run()
	if err != nil {
		return stdout.String(), fmt.Errorf("run %s on %s: %w: %s", inShort(command), node, cause(ctx, err), strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// inShort is the command as an error names it: of an argument of several lines, as a script is, the first.
func inShort(command []string) string {
	short := make([]string, len(command))
	for i, argument := range command {
		line, _, more := strings.Cut(argument, "\n")
		if more {
			line += " …"
		}
		short[i] = shellescape.Quote(line)
	}
	return strings.Join(short, " ")
}

// Reboot implements cluster.Machines.
func (c *Cluster) Reboot(ctx context.Context, node string) error {
	return c.boot(ctx, node, "restart")
}

// boot starts a machine by one of Docker's verbs, and waits until its node is Ready by the word of the kubelet that runs from then on.
func (c *Cluster) boot(ctx context.Context, node, verb string) error {
	machine, err := c.machine(node)
	if err != nil {
		return err
	}
	before, _, err := machine.IP()
	if err != nil {
		return err
	}
	if err := c.onContainer(ctx, node, verb); err != nil {
		return err
	}
	after, _, err := machine.IP()
	if err != nil {
		return err
	}
	if before != after {
		if err := c.refreshRoutes(ctx); err != nil {
			return err
		}
	}
	started, err := docker(ctx, "inspect", "--format", "{{.State.StartedAt}}", node)
	if err != nil {
		return err
	}
	since, err := time.Parse(time.RFC3339Nano, started)
	if err != nil {
		return fmt.Errorf("read when machine %s was started: %w", node, err)
	}
	return c.awaitReadySince(ctx, node, since)
}

// awaitReadySince waits until the kubelet has said that it is Ready, after this moment.
func (c *Cluster) awaitReadySince(ctx context.Context, name string, since time.Time) error {
	var last string
	err := wait.PollUntilContextTimeout(ctx, pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			// After a reboot of the control plane's machine, the API server comes up meanwhile.
			last = err.Error()
			return false, nil
		}
		_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
		if ready == nil {
			last = "it has no Ready condition"
			return false, nil
		}
		last = fmt.Sprintf("Ready is %s since %s: %s", ready.Status, ready.LastTransitionTime.UTC().Format(time.RFC3339), ready.Message)
		// Heartbeats come in whole seconds. A machine takes longer than that to shut down and boot, so none of before is taken for one of after.
		return usable(node) && !ready.LastHeartbeatTime.Time.Before(since.Truncate(time.Second)), nil
	})
	if err != nil {
		return fmt.Errorf("wait for node %s to be Ready after its machine booted: %w; last seen: %s", name, err, last)
	}
	return nil
}

func (c *Cluster) onContainer(ctx context.Context, node, verb string) error {
	if _, err := c.machine(node); err != nil {
		return err
	}
	if _, err := docker(ctx, verb, node); err != nil {
		return fmt.Errorf("machine %s: %w", node, err)
	}
	return nil
}
