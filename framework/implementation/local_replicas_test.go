package implementation

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/relay"
)

func TestTheReplicaThatLeadsIsKilledAndAnotherOneIsInItsPlace(t *testing.T) {
	g := NewWithT(t)
	running, options := launchMine(t, func(i *Implementation) {
		i.Launch.Process.Args = append(i.Launch.Process.Args, "--elect=false")
		i.Launch.Process.ElectionArgs = []string{"--elect=true"}
	})
	printed := func(elect, folder string) []string {
		return []string{`["--kubeconfig=/kubeconfigs/rollcall" "/binaries/etcd" "--elect=` + elect + `"] in ` + folder}
	}
	elector := capability[Elector](t, running)
	g.Expect(elector.KillLeader(t.Context())).To(MatchError("killing the leader of mine: it has not been told to elect one"))
	g.Expect(elector.Elect(t.Context())).To(Succeed())
	first := running.LogEnd()
	g.Expect(elector.KillLeader(t.Context())).To(Succeed())
	g.Expect(running.AwaitReady(t.Context())).To(Succeed())
	g.Expect(running.ExitStatus()).To(BeEmpty(), "it was killed on purpose")
	g.Eventually(func() []string { return running.LogSince(first, 9, "") }, "10s").
		Should(ContainElement(printed("true", filepath.Join(options.RunDir, "replica-2"))[0]), "in the place of the first")

	g.Expect(capability[Restarter](t, running).Restart(t.Context())).To(Succeed())
	g.Expect(running.LogTail(5)).To(Equal(printed("false", filepath.Join(options.RunDir, "replica-1"))), "alone, as its file says")
	g.Expect(elector.KillLeader(t.Context())).NotTo(Succeed(), "there is no other one any more")
}

func TestNoLeaderIsElectedWhereTheFileDoesNotSayHow(t *testing.T) {
	g := NewWithT(t)
	running, _ := launchMine(t, func(*Implementation) {})
	err := missing[Elector](t, running)
	g.Expect(err).To(MatchError(errors.ErrUnsupported))
	g.Expect(err).To(MatchError(ContainSubstring("spec.launch.process.electionArgs")))
}

// known is a cluster of which there is a kubeconfig file.
type known struct {
	*nowhere
	path string
}

func (k known) KubeconfigFor(context.Context, string, ...string) (string, error) { return k.path, nil }

func TestALocalProcessReachesTheAPIServerThroughARelay(t *testing.T) {
	g := NewWithT(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	direct, err := relay.Start(&rest.Config{Host: server.URL})
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(direct.Close()).To(Succeed()) }()
	content, err := direct.Kubeconfig()
	g.Expect(err).NotTo(HaveOccurred())
	cluster := known{path: filepath.Join(t.TempDir(), "kubeconfig")}
	g.Expect(os.WriteFile(cluster.path, content, 0o600)).To(Succeed())

	options, _ := launchOptions(t)
	options.Cluster, options.Relay = cluster, true
	running, err := Launch(t.Context(), mine(roleServe), options)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(running.Stop(context.Background())).To(Succeed()) }()
	path, _, _ := strings.Cut(strings.TrimPrefix(running.LogTail(1)[0], `["--kubeconfig=`), `"`)
	config, err := clientcmd.BuildConfigFromFlags("", path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(path).NotTo(Equal(cluster.path))

	network := capability[Network](t, running)
	g.Expect(network.CutOff(t.Context())).To(Succeed())
	answered := make(chan int, 1)
	go func() {
		if response, err := http.Get(config.Host); err == nil {
			answered <- response.StatusCode
			_ = response.Body.Close()
		}
	}()
	g.Consistently(answered, "50ms").ShouldNot(Receive())
	g.Expect(network.Reconnect(t.Context())).To(Succeed())
	g.Eventually(answered, "10s").Should(Receive(Equal(http.StatusNoContent)))
	g.Expect(capability[WatchBreaker](t, running).BreakWatches(t.Context())).To(MatchError("breaking the watches of mine: it watches nothing"))
}
