// Package existing runs on a cluster that somebody has, on the nodes that its owner set aside, and leaves it as it was.
//
// What it makes is in namespaces of its own, on the nodes with NodeLabel, or written down in the cluster before it is made. So whatever becomes of a run,
// the next one finds what is left and removes it. One run uses a cluster at a time.
package existing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/impersonate"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
)

// ProviderName is what reports call this provider.
const ProviderName = "existing"

const (
	// answerTimeout bounds one question to the cluster.
	answerTimeout = 15 * time.Second
	// tidyTimeout bounds putting everything back after a start that failed.
	tidyTimeout  = 2 * time.Minute
	pollInterval = 250 * time.Millisecond
)

// Options says which cluster to use.
type Options struct {
	// Config is an administrator's, of one context: see ReadConfig.
	Config *clientcmdapi.Config
	// Dir receives kubeconfigs, in a folder that goes at Stop.
	Dir string
	// Simulate: nodes are simulated beside those set aside, of which there need be none then. Default: none are.
	Simulate bool
	// KWOK is the path of the program that simulates them, KWOKLog the file to which it prints.
	KWOK, KWOKLog string
	// Traces is what users of the cluster leave in it.
	Traces Traces
	// Out gets a line about whatever takes long or is unusual. Default: none.
	Out io.Writer
}

// Cluster is somebody's cluster in use.
type Cluster struct {
	options    Options
	dir        string
	kubeconfig string
	config     *rest.Config
	client     kubernetes.Interface
	// objects are those of any kind.
	objects client.Client
	version string
	nodes   []string
	claim   *claim
	kwok    *kwok.Simulation
}

var _ cluster.Cluster = (*Cluster)(nil)

// Start takes the cluster into use: it removes what a run that crashed left behind, and makes sure that nobody else is on the nodes set aside. When that
// does not work, nothing is changed.
func Start(ctx context.Context, options Options) (_ *Cluster, err error) {
	if options.Dir == "" || options.Traces.NamespaceLabel == "" || options.Traces.NodeLabelPrefix == "" {
		// Without, every namespace would look like ours.
		return nil, errors.New("use an existing cluster: Options.Dir, Traces.NamespaceLabel and Traces.NodeLabelPrefix are needed")
	}
	if options.Out == nil {
		options.Out = io.Discard
	}
	// Before anything is changed.
	c, err := inspect(ctx, options)
	if err != nil {
		return nil, err
	}
	c.dir = filepath.Join(options.Dir, ProviderName)
	c.kubeconfig = filepath.Join(c.dir, "kubeconfig")
	defer func() {
		if err != nil {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
			defer cancel()
			err = errors.Join(fmt.Errorf("context %s: %w", options.Config.CurrentContext, err), c.Stop(ctx))
		}
	}()
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, err
	}
	if err := clientcmd.WriteToFile(*options.Config, c.kubeconfig); err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	if c.claim, err = c.take(ctx); err != nil {
		return nil, err
	}
	if err := c.sweep(ctx); err != nil {
		return nil, fmt.Errorf("remove what an earlier run left: %w", err)
	}
	if c.nodes, err = c.fitNodes(ctx); err != nil {
		return nil, err
	}
	if err := c.startKWOK(ctx); err != nil {
		return nil, err
	}
	c.say("cluster %s, Kubernetes %s: %s", options.Config.CurrentContext, c.version, c.describeNodes())
	return c, nil
}

// connect makes clients, and sees that the cluster answers to an administrator.
func (c *Cluster) connect(ctx context.Context) (err error) {
	if c.config, err = clientcmd.NewDefaultClientConfig(*c.options.Config, &clientcmd.ConfigOverrides{}).ClientConfig(); err != nil {
		return err
	}
	c.config.QPS, c.config.Burst = 500, 1000
	if c.client, err = kubernetes.NewForConfig(c.config); err != nil {
		return err
	}
	if c.objects, err = client.New(c.config, client.Options{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	review, err := c.client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"}},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("the cluster at %s does not answer as it should: %w", c.config.Host, err)
	}
	if !review.Status.Allowed {
		return unsuitable("its user is no administrator: rollcall changes nodes and namespaces and acts as other users, which takes all rights, as of cluster-admin")
	}
	version, err := c.client.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("ask the cluster at %s for its version: %w", c.config.Host, err)
	}
	c.version = version.GitVersion
	return nil
}

// Provider implements cluster.Cluster.
func (c *Cluster) Provider() string { return ProviderName }

// KubernetesVersion implements cluster.Cluster.
func (c *Cluster) KubernetesVersion() string { return c.version }

// Config implements cluster.Cluster.
func (c *Cluster) Config() *rest.Config { return c.config }

// Kubeconfig is an administrator's kubeconfig file.
func (c *Cluster) Kubeconfig() string { return c.kubeconfig }

// Nodes are those set aside, sorted.
func (c *Cluster) Nodes() []string { return c.nodes }

// KubeconfigFor implements cluster.Cluster: the administrator impersonates the user.
func (c *Cluster) KubeconfigFor(_ context.Context, user string, groups ...string) (string, error) {
	return impersonate.Kubeconfig(c.kubeconfig, c.dir, user, groups...)
}

// SwitchOff implements cluster.Cluster. The control plane is not ours: it is an error unless all controllers are to be on.
func (c *Cluster) SwitchOff(_ context.Context, controllers ...string) error {
	if len(controllers) == 0 {
		return nil
	}
	return fmt.Errorf("switch controllers %q off: this cluster's control plane is not changed, whoever runs it has to do that: %w", controllers, errors.ErrUnsupported)
}

// ExportLogs implements cluster.Cluster: there are none but the cluster's own.
func (c *Cluster) ExportLogs(context.Context) error { return nil }

// Stop implements cluster.Cluster: it puts everything back, and reports what it could not, and who came to the nodes meanwhile.
func (c *Cluster) Stop(ctx context.Context) error {
	var failures []error
	if c.claim != nil {
		failures = append(failures, c.leave(ctx))
		c.claim = nil
	}
	failures = append(failures, c.stopKWOK(ctx), os.RemoveAll(c.dir))
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("put the cluster back as it was: %w", err)
	}
	return nil
}

func (c *Cluster) leave(ctx context.Context) error {
	if c.claim.lost() {
		c.claim.end()
		return fmt.Errorf("the claim on the cluster was lost, since the cluster did not answer for %s: another run may be using it, so nothing was removed; "+
			"the next run on the cluster does that", renewDeadline)
	}
	failures := []error{c.sweep(ctx)}
	failures = append(failures, c.checkForeignPods(ctx))
	if errors.Join(failures...) != nil {
		// What is left is still written down for the next run.
		c.claim.end()
		return errors.Join(append(failures, fmt.Errorf("the next run on the cluster tries again; namespace %s says what there is", namespaceName))...)
	}
	// While it is held, so that nobody takes a claim that goes with the namespace.
	err := c.removeNamespace(ctx)
	c.claim.end()
	return err
}

func (c *Cluster) say(format string, args ...any) {
	_, _ = fmt.Fprintf(c.options.Out, "existing: "+format+"\n", args...)
}
