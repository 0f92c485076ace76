package existing

import (
	"os"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded/embeddedtest"
)

// somebodys is the cluster that the tests find; admin is its administrator's.
var (
	somebodys *embedded.Cluster
	admin     kubernetes.Interface
)

func TestMain(m *testing.M) {
	os.Exit(embeddedtest.Main(m, func(cluster *embedded.Cluster) {
		somebodys, admin = cluster, kubernetes.NewForConfigOrDie(cluster.Config())
	}))
}
