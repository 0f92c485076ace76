package cluster

import "context"

// Machines are what is behind the nodes of a cluster that has real kubelets: for what no API reaches. A node's machine is known by the node's name.
type Machines interface {
	// Workers are the nodes on which scenarios may run pods, sorted.
	Workers() []string
	// LoadImages gives every machine, the control plane's too, the images in an archive in the format of `docker save`.
	LoadImages(ctx context.Context, archive string) error
	// Run runs a command as root and returns what it printed; the error holds what it printed to stderr.
	Run(ctx context.Context, node string, command ...string) (string, error)
	// Reboot restarts the machine and returns once its kubelet runs again.
	Reboot(ctx context.Context, node string) error
}
