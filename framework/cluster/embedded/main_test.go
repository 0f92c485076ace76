package embedded_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded/embeddedtest"
)

// harnessVariable makes this test binary a harness that keeps a control plane in the folder it names, until its stdin ends.
const harnessVariable = "ROLLCALL_EMBEDDED_TEST_HARNESS_DIR"

// shared is a control plane for tests that leave it as it was; client is its administrator's.
var (
	shared *embedded.Cluster
	client kubernetes.Interface
)

func TestMain(m *testing.M) {
	// Before anything else, and never to be inherited: a harness runs no tests, so it cannot start harnesses.
	if dir := os.Getenv(harnessVariable); dir != "" {
		if err := os.Unsetenv(harnessVariable); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(beHarness(dir))
	}
	os.Exit(embeddedtest.Main(m, func(cluster *embedded.Cluster) {
		shared, client = cluster, kubernetes.NewForConfigOrDie(cluster.Config())
	}))
}

// beHarness starts a control plane, says so on stdout, and leaves it behind at the end of stdin.
func beHarness(dir string) int {
	options, err := programs(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	options.Dir = dir
	if _, err := embedded.Start(context.Background(), options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 1
}
