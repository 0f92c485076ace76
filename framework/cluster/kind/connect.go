package kind

import (
	"fmt"
	"slices"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster/constants"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
)

// connect learns of the cluster's machines and makes an administrator's client.
func (c *Cluster) connect() error {
	machines, err := c.provider.ListNodes(c.name)
	if err != nil {
		return err
	}
	if len(machines) == 0 {
		return fmt.Errorf("there is no kind cluster %s", c.name)
	}
	c.machines = map[string]nodes.Node{}
	for _, machine := range machines {
		role, err := machine.Role()
		if err != nil {
			return err
		}
		c.machines[machine.String()] = machine
		if role == constants.ControlPlaneNodeRoleValue {
			c.controlPlane = machine.String()
		} else {
			c.workers = append(c.workers, machine.String())
		}
	}
	slices.Sort(c.workers)
	if c.config, err = clientcmd.BuildConfigFromFlags("", c.kubeconfig); err != nil {
		return err
	}
	c.config.QPS, c.config.Burst = 1000, 2000
	if c.client, err = kubernetes.NewForConfig(c.config); err != nil {
		return err
	}
	version, err := c.client.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	c.version = version.GitVersion
	return nil
}
