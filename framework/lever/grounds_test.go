package lever_test

import (
	"context"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded/embeddedtest"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind/kindtest"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// simulatedGround is there for all tests, since the simulated nodes of a control plane cost nothing.
var simulatedGround *ground

func TestMain(m *testing.M) {
	os.Exit(embeddedtest.Main(m, func(cluster *embedded.Cluster) {
		simulatedGround = groundOn(scenario.Simulated, cluster.Config())
	}))
}

// realGround is a kind cluster for the time of the test, whose nodes have the daemon's image.
func realGround(t *testing.T) *ground {
	t.Helper()
	kindtest.Need(t)
	cluster, err := kind.Start(t.Context(), kind.Options{Workers: 2, Dir: t.TempDir(), Out: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := cluster.Stop(stopping); err != nil {
			t.Error(err)
		}
	})
	archive, err := daemonimage.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.LoadImages(t.Context(), archive.Path); err != nil {
		t.Fatal(err)
	}
	return groundOn(scenario.Real, cluster.Config(), cluster.Workers()...)
}

// groundOn does not make tests wait for its own limits.
func groundOn(kind scenario.NodeKind, config *rest.Config, workers ...string) *ground {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 200, 400
	return &ground{kind: kind, config: config, client: kubernetes.NewForConfigOrDie(config), workers: workers}
}
