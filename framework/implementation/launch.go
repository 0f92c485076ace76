package implementation

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
)

// Cluster is what a launch needs of the cluster; cluster.Cluster is one.
type Cluster interface {
	// Config is an administrator's, with which manifests are applied.
	Config() *rest.Config
	// KubeconfigFor writes a kubeconfig file for a user and returns its path.
	KubeconfigFor(ctx context.Context, user string, groups ...string) (string, error)
}

// Machines is what a launch by image needs of what is behind the nodes; cluster.Machines is one.
type Machines interface {
	// LoadImages gives every machine the images in an archive in the format of `docker save`.
	LoadImages(ctx context.Context, archive string) error
	// Run runs a command as root and returns what it printed.
	Run(ctx context.Context, node string, command ...string) (string, error)
}

// LaunchOptions says where an implementation is launched.
type LaunchOptions struct {
	Cluster Cluster
	// Machines are behind the nodes of the cluster. Nil, if there are none: then nothing is launched by image, unless Pull.
	Machines Machines
	// Pull: the nodes have kubelets, which find images by themselves. Where Machines are nil, what has an image to refer to is launched by it.
	Pull bool
	// Artifact is what Build returned.
	Artifact Artifact
	// RunDir is ${RUN_DIR} of a local process, created if missing, and its working directory.
	RunDir string
	// BinDir is ${BIN_DIR}: the folder of the control-plane programs.
	BinDir string
	// StopGrace is how long a local process may take to end after SIGTERM before it is killed. Default: what Kubernetes gives a pod, 30 s.
	StopGrace time.Duration
	// Relay has a local process reach the API server through a relay, so that Network and WatchBreaker are available.
	Relay bool
	// LogPath receives what the implementation prints, over all its restarts: of a local process at once, of pods before they are removed by
	// a Capability or Stop. What pods print when they are asked to end is not in it.
	LogPath string
}

// Launch has the implementation run, and returns when it is ready. The context bounds the launch only. An implementation that does not become ready is
// an error with its last log lines. What the implementation is to blame for is a Failure.
//
// By image, where the file has one that the nodes can have: the image is loaded, the manifests are applied, and the Deployment's pods become ready.
// An error leaves nothing in the cluster. As a local process otherwise: an error leaves no process; manifests stay with the cluster. For an
// implementation that is launched by others there is nothing to do.
func Launch(ctx context.Context, i *Implementation, options LaunchOptions) (*Running, error) {
	way, err := i.way(i.reaches(options.Machines != nil, options.Pull))
	if err != nil {
		return nil, err
	}
	switch way {
	case byImage:
		return launchImage(ctx, i, options)
	case byProcess:
		return launchLocally(ctx, i, options)
	}
	return byOthersOnly(), nil
}

// Attach returns a handle on an implementation that another process launched with the same options, by image: it may do all but Stop, which leaves the
// implementation to whoever launched it. Of an implementation that was not launched by image it returns a handle with which nothing can be done.
func Attach(ctx context.Context, i *Implementation, options LaunchOptions) (*Running, error) {
	way, err := i.way(i.reaches(options.Machines != nil, options.Pull))
	if err != nil {
		return nil, err
	}
	if way != byImage {
		return byOthersOnly(), nil
	}
	attached, err := deploymentOf(i, options)
	if err != nil {
		return nil, err
	}
	if _, err := attached.deployment(ctx); err != nil {
		return nil, fmt.Errorf("attaching to the implementation %s: %w", i.Name, err)
	}
	return attached.running(), nil
}

// way is how an implementation is launched.
type way int

const (
	byOthers way = iota
	byProcess
	byImage
)

// reaches reports whether the implementation's image, if it has one, reaches the nodes.
func (i *Implementation) reaches(machines, pull bool) bool {
	image := i.Launch.Image
	return machines || pull && image != nil && (image.Reference != "" || image.ControlPlane != "")
}

// way chooses one, given whether an image reaches the nodes.
func (i *Implementation) way(reaches bool) (way, error) {
	switch {
	case i.Launch.Image != nil && reaches:
		return byImage, nil
	case i.Launch.Process != nil:
		return byProcess, nil
	case i.Launch.Image != nil:
		return 0, fmt.Errorf("launching the implementation %s: its file has an image only, which takes nodes with kubelets, and a reference where nobody loads images: run it on kind, or add a process",
			i.Name)
	}
	return byOthers, nil
}
