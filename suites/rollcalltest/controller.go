package rollcalltest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// What a controller's process needs to know, in its environment.
const (
	kubeconfigVariable = "ROLLCALL_TEST_KUBECONFIG"
	addressVariable    = "ROLLCALL_TEST_ADDRESS"
	folderVariable     = "ROLLCALL_TEST_FOLDER"
)

// readyPath is where a controller's process says whether it works.
const readyPath = "/readyz"

// controllerProcess is a process of the test's program that runs the controller.
type controllerProcess struct {
	// kubeconfig is a file, address where readiness is served, folder that of the test.
	kubeconfig, address, folder string
}

// controllerFromEnvironment is nil in the process that go test started.
func controllerFromEnvironment() *controllerProcess {
	kubeconfig, ok := os.LookupEnv(kubeconfigVariable)
	if !ok {
		return nil
	}
	return &controllerProcess{kubeconfig: kubeconfig, address: os.Getenv(addressVariable), folder: os.Getenv(folderVariable)}
}

// run runs the controller until SIGTERM, and returns the exit code.
func (p *controllerProcess) run(controller func(context.Context, *rest.Config, func()) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := p.serve(ctx, controller); err != nil {
		fmt.Fprintln(os.Stderr, "rollcalltest:", err)
		return 1
	}
	return 0
}

// serve runs the controller, and answers whether it is ready.
func (p *controllerProcess) serve(ctx context.Context, controller func(context.Context, *rest.Config, func()) error) error {
	if err := os.Chdir(p.folder); err != nil {
		return fmt.Errorf("go to the test's folder: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS = -1
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return fmt.Errorf("serve readiness: %w", err)
	}
	var ready atomic.Bool
	server := http.Server{Handler: readiness(&ready)}
	// It ends with Close. Should it end earlier, the controller is reported as not ready.
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	err = controller(ctx, config, func() { ready.Store(true) })
	switch {
	case ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)):
		return nil
	case err == nil:
		return errors.New("the controller returned before its context ended")
	}
	return fmt.Errorf("the controller failed: %w", err)
}

func readiness(ready *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(readyPath, func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			http.Error(w, "the controller has not called ready", http.StatusServiceUnavailable)
		}
	})
	return mux
}
