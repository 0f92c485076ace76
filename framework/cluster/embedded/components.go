package embedded

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/process"
)

// superuser is the group whose members RBAC never stops.
const superuser = "system:masters"

func (c *Cluster) startControllerManager(ctx context.Context) error {
	controllers := []string{"*"}
	for _, controller := range c.options.DisabledControllers {
		controllers = append(controllers, "-"+controller)
	}
	return c.startComponent(ctx, "kube-controller-manager", func(kubeconfig string, port int) []string {
		return []string{
			"--kubeconfig=" + kubeconfig,
			"--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--controllers=" + strings.Join(controllers, ","),
			"--leader-elect=false",
			"--bind-address=127.0.0.1",
			"--secure-port=" + strconv.Itoa(port),
			"--service-account-private-key-file=" + filepath.Join(c.certDir(), "sa-signer.key"),
			"--kube-api-qps=500",
			"--kube-api-burst=1000",
		}
	})
}

// schedulerConfiguration raises the scheduler's client limits, which no flag does.
const schedulerConfiguration = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %q, qps: 500, burst: 1000}
leaderElection: {leaderElect: false}
`

func (c *Cluster) startScheduler(ctx context.Context) error {
	config := filepath.Join(c.configDir(), "kube-scheduler.yaml")
	return c.startComponent(ctx, "kube-scheduler", func(kubeconfig string, port int) []string {
		return []string{
			"--config=" + config,
			"--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--bind-address=127.0.0.1",
			"--secure-port=" + strconv.Itoa(port),
		}
	}, func(kubeconfig string) error {
		return os.WriteFile(config, fmt.Appendf(nil, schedulerConfiguration, kubeconfig), 0o600)
	})
}

// NodeLabel with NodeLabelValue marks the nodes that KWOK simulates.
const (
	NodeLabel      = "rollcall.dev/node"
	NodeLabelValue = "simulated"
)

const kwokConfiguration = `apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  manageNodesWithLabelSelector: ` + NodeLabel + "=" + NodeLabelValue + `
  nodeLeaseDurationSeconds: 40
  nodeLeaseParallelism: 4
  podPlayStageParallelism: 8
  nodePlayStageParallelism: 4
`

func (c *Cluster) startKWOK(ctx context.Context) error {
	config := filepath.Join(c.configDir(), "kwok.yaml")
	return c.startComponent(ctx, "kwok", func(kubeconfig string, port int) []string {
		return []string{
			"--kubeconfig=" + kubeconfig,
			"--config=" + config,
			"--v=WARN",
			"--server-address=" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		}
	}, func(string) error {
		documents, err := stages.Config()
		if err != nil {
			return err
		}
		return os.WriteFile(config, append([]byte(kwokConfiguration), documents...), 0o600)
	})
}

// portAttempts is how many ports are tried: somebody else may take one between its being found free and its being used.
const portAttempts = 5

// startComponent runs one component as a superuser, on a free port that serves its /healthz, and waits until that says ok.
func (c *Cluster) startComponent(ctx context.Context, name string, args func(kubeconfig string, port int) []string, prepare ...func(kubeconfig string) error) error {
	kubeconfig, err := c.KubeconfigFor(ctx, "system:"+name, superuser)
	if err != nil {
		return err
	}
	for _, step := range prepare {
		if err := step(kubeconfig); err != nil {
			return fmt.Errorf("write the configuration of %s: %w", name, err)
		}
	}
	for attempt := 1; ; attempt++ {
		port, err := process.FreePort()
		if err != nil {
			return fmt.Errorf("find a port for %s: %w", name, err)
		}
		started, err := process.Start(ctx, process.Options{
			Name:         name,
			Path:         c.options.Binary(name),
			Args:         args(kubeconfig, port),
			LogPath:      filepath.Join(c.logDir(), name+".log"),
			Ready:        healthy(port, name == "kwok"),
			ReadyTimeout: startTimeout,
		})
		if err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.processes = append(c.processes, started)
			return nil
		}
		// The component's last words are part of the error.
		if attempt == portAttempts || !strings.Contains(err.Error(), syscall.EADDRINUSE.Error()) {
			return err
		}
	}
}

// healthy asks the component's /healthz; only KWOK serves it without TLS.
func healthy(port int, plain bool) func(context.Context) error {
	scheme := "https"
	if plain {
		scheme = "http"
	}
	url := fmt.Sprintf("%s://127.0.0.1:%d/healthz", scheme, port)
	// Each component signs its own serving certificate; it is asked for its health and told nothing.
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: %s", url, response.Status)
		}
		return nil
	}
}
