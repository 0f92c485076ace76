package kind

import (
	"context"
	"errors"
	"fmt"
	"os"

	kindcluster "sigs.k8s.io/kind/pkg/cluster"
)

// abandon takes down what Start began and could not finish. It keeps the logs of the machines that there are, unless the context's end is the reason.
func (c *Cluster) abandon(ctx context.Context) error {
	c.options.Keep = false
	if machines, err := c.provider.ListNodes(c.name); ctx.Err() == nil && err == nil && len(machines) > 0 {
		if c.ExportLogs(ctx) != nil {
			c.options.say("not all logs of the machines could be had")
		}
	}
	return c.Stop(context.WithoutCancel(ctx))
}

// Stop implements cluster.Cluster; a cluster to be kept goes on running. It fails on a cluster that somebody else started.
func (c *Cluster) Stop(ctx context.Context) error {
	if c.own == nil {
		return fmt.Errorf("stop kind cluster %s: only who started it can", c.name)
	}
	if c.own.stopped {
		return nil
	}
	c.own.stopped = true
	var failures []error
	if c.kwok != nil {
		failures = append(failures, c.kwok.Stop(ctx))
	}
	if c.options.Keep {
		c.options.say("cluster %s is kept: KUBECONFIG=%s; remove it with: %s", c.name, c.kubeconfig, removal(c.name))
	} else {
		failures = append(failures, removeCluster(ctx, c.provider, c.name, c.kubeconfig), c.own.owners.removeNetwork(ctx), os.RemoveAll(c.dir))
	}
	failures = append(failures, c.own.disown(), c.own.log.Close())
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("stop kind cluster %s: %w", c.name, err)
	}
	return nil
}

// removal is how a person removes a cluster.
func removal(name string) string {
	return "docker rm --force --volumes $(docker ps --all --quiet --filter label=io.x-k8s.kind.cluster=" + name + ")"
}

func removeCluster(_ context.Context, provider *kindcluster.Provider, name, kubeconfig string) error {
	if err := provider.Delete(name, kubeconfig); err != nil {
		return fmt.Errorf("remove kind cluster %s: %w; by hand: %s", name, withOutput(err), removal(name))
	}
	return nil
}

// removeOrphans removes the clusters of owners that crashed.
func removeOrphans(ctx context.Context, owners owners, options Options) error {
	provider := kindcluster.NewProvider()
	clusters, err := provider.List()
	if err != nil {
		return err
	}
	orphans, err := owners.orphans(clusters)
	failures := []error{err}
	for _, orphan := range orphans {
		if orphan.exists {
			options.say("removing cluster %s, whose owner ended without doing so", orphan.name)
			// kind wants to take the cluster out of a kubeconfig, and must not touch the user's.
			if err := removeCluster(ctx, provider, orphan.name, owners.path(orphan.name)+".kubeconfig"); err != nil {
				failures = append(failures, err, orphan.lock.Close())
				continue
			}
		}
		failures = append(failures, disown(orphan.lock))
	}
	if len(orphans) > 0 {
		failures = append(failures, owners.removeNetwork(ctx))
	}
	return errors.Join(failures...)
}
