//go:build !windows

package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// startAttempts is how often etcd and kube-apiserver are started: somebody else may take a port between its being found free and its being used.
const startAttempts = 5

// startAPIServer starts etcd and kube-apiserver and waits until the latter is ready.
func (c *Cluster) startAPIServer(ctx context.Context) error {
	for _, dir := range []string{c.dataDir(), c.certDir(), c.binDir(), c.configDir(), c.auditDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make the control plane's folder: %w", err)
		}
	}
	etcdPath, err := process.WrapForDeath(c.options.Binary("etcd"), c.binDir())
	if err != nil {
		return err
	}
	apiServerPath, err := process.WrapForDeath(c.options.Binary("kube-apiserver"), c.binDir())
	if err != nil {
		return err
	}
	etcdLog, err := c.openLog("etcd")
	if err != nil {
		return err
	}
	apiServerLog, err := c.openLog("kube-apiserver")
	if err != nil {
		return err
	}

	etcd := &envtest.Etcd{Path: etcdPath, DataDir: c.dataDir(), StartTimeout: startTimeout, Out: etcdLog, Err: etcdLog}
	// docs/embedded.md gives the reason for every flag that is not as kubeadm has it.
	etcd.Configure().Enable("unsafe-no-fsync").Set("watch-progress-notify-interval", "5s")

	apiServer := &envtest.APIServer{Path: apiServerPath, CertDir: c.certDir(), StartTimeout: startTimeout, Out: apiServerLog, Err: apiServerLog}
	apiServer.Configure().
		// envtest switches service accounts off, since it has no controller that makes them. Here there is one.
		Disable("disable-admission-plugins").
		Set("enable-admission-plugins", c.admissionPlugins()).
		Set("authorization-mode", "Node,RBAC").
		Set("service-account-issuer", "https://kubernetes.default.svc.cluster.local").
		Set("service-cluster-ip-range", "10.96.0.0/12")
	if err := c.keepAuditLog(apiServer); err != nil {
		return err
	}

	// Not an envtest.Environment: that obeys variables such as USE_EXISTING_CLUSTER, and leaves webhook certificates in the temporary folder when
	// the harness is killed.
	c.plane = &envtest.ControlPlane{Etcd: etcd, APIServer: apiServer}
	for attempt := 1; ; attempt++ {
		err := c.plane.Start()
		if err == nil {
			break
		}
		said := c.lastLines("etcd", "kube-apiserver")
		if ctx.Err() != nil || attempt == startAttempts || !strings.Contains(err.Error()+said, syscall.EADDRINUSE.Error()) {
			return fmt.Errorf("start etcd and kube-apiserver: %w\n%s", errors.Join(context.Cause(ctx), err), said+refusal(apiServerPath))
		}
	}
	administrator, err := c.plane.AddUser(envtest.User{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}}, &rest.Config{QPS: 1000, Burst: 2000})
	if err != nil {
		return fmt.Errorf("add the administrator: %w", err)
	}
	c.config = administrator.Config()
	return c.awaitNamespaces(ctx)
}

// admissionPlugins are those that kube-apiserver has beside those that it has by itself.
func (c *Cluster) admissionPlugins() string {
	plugins := []string{"NodeRestriction"}
	if c.options.CheckOwnerReferences {
		plugins = append(plugins, "OwnerReferencesPermissionEnforcement")
	}
	return strings.Join(plugins, ",")
}

// awaitNamespaces returns when the API server has made the namespaces that every cluster has. The one for the nodes' leases is made last.
func (c *Cluster) awaitNamespaces(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().Namespaces().Get(ctx, corev1.NamespaceNodeLease, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait for namespace %s: %w", corev1.NamespaceNodeLease, err)
	}
	return nil
}

func (c *Cluster) openLog(name string) (*os.File, error) {
	log, err := os.Create(filepath.Join(c.logDir(), name+".log"))
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	c.logs = append(c.logs, log)
	return log, nil
}

// refusal shows what a kube-apiserver says that cannot even print its help, which envtest asks for first and does not pass on.
func refusal(path string) string {
	said, err := exec.Command(path, "--help").CombinedOutput()
	if err == nil {
		return ""
	}
	return fmt.Sprintf("kube-apiserver --help: %v\n%s", err, process.LastLines(string(said)))
}

// lastLines shows the ends of the components' logs, for an error.
func (c *Cluster) lastLines(names ...string) string {
	var text strings.Builder
	for _, name := range names {
		log, err := os.ReadFile(filepath.Join(c.logDir(), name+".log"))
		if err != nil || len(log) == 0 {
			continue
		}
		fmt.Fprintf(&text, "last lines of %s:\n%s\n", name, process.LastLines(string(log)))
	}
	return text.String()
}
