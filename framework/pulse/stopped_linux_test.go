package pulse_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded/embeddedtest"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

var cluster *embedded.Cluster

func TestMain(m *testing.M) {
	os.Exit(embeddedtest.Main(m, func(started *embedded.Cluster) { cluster = started }))
}

// patience is how long the tests wait for what should happen at once.
const patience = 30 * time.Second

func startPulse(t *testing.T) *pulse.Pulse {
	t.Helper()
	p, err := pulse.Start(t.Context(), pulse.Options{Config: cluster.Config(), Namespace: "pulse"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// record records the pods of the default namespace.
func record(t *testing.T, p *pulse.Pulse) (r *recorder.Recorder, path string) {
	t.Helper()
	client, err := recorder.NewClient(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	sources, err := recorder.Namespaced(client, metav1.NamespaceDefault, history.KindPod)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "recording.jsonl")
	r, err = recorder.Start(t.Context(), recorder.Options{Sources: sources, Path: path, Pulse: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, path
}

// TestAStoppedComponentIsAStandstillInRecordings stops the component for two seconds.
func TestAStoppedComponentIsAStandstillInRecordings(t *testing.T) {
	for _, component := range []string{"etcd", "kube-apiserver"} {
		t.Run(component, func(t *testing.T) {
			g := NewWithT(t)
			p := startPulse(t)
			r, path := record(t, p)
			stoppedAt := time.Now()
			resume := stop(t, component)
			g.Eventually(p.Lively).WithTimeout(patience).Should(BeFalse())
			looked := make(chan time.Time, 1)
			go func() {
				_ = r.Await(t.Context(), func(*history.Cluster) bool { return true })
				looked <- time.Now()
			}()
			g.Eventually(func() bool {
				_, underWay := p.Standstills()
				return underWay != nil && underWay.Until.Sub(underWay.From) > 2*time.Second
			}).WithTimeout(patience).Should(BeTrue())
			resumedAt := time.Now()
			resume()
			g.Eventually(looked).WithTimeout(patience).Should(Receive(BeTemporally(">=", resumedAt)), "nobody looks while the API server stands still")
			g.Expect(r.CatchUp(t.Context())).To(Succeed())
			g.Expect(r.Close()).To(Succeed())

			past, _ := p.Standstills()
			g.Expect(past).To(HaveLen(1))
			g.Expect(past[0].From).To(BeTemporally("<=", stoppedAt.Add(time.Second)))
			g.Expect(past[0].Until).To(BeTemporally(">=", resumedAt))
			h, err := history.Open(path)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(h.CaughtUp).To(BeTrue())
			g.Expect(h.Standstills).To(HaveLen(1))
			g.Expect(h.Standstills[0].Lasted()).To(Equal(past[0].Until.Sub(past[0].From)))
			g.Expect(h.Start.Add(h.Standstills[0].From)).To(BeTemporally("~", past[0].From, time.Millisecond))

			// The next recording begins before everybody has recovered.
			next, path := record(t, p)
			g.Expect(next.Close()).To(Succeed())
			h, err = history.Open(path)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(h.Standstills).To(ConsistOf(HaveField("Until", BeNumerically("<", 0))))
		})
	}
}

func TestARecordingEndsInAStandstill(t *testing.T) {
	g := NewWithT(t)
	p := startPulse(t)
	r, path := record(t, p)
	resume := stop(t, "etcd")
	g.Eventually(func() *pulse.Standstill {
		_, underWay := p.Standstills()
		return underWay
	}).WithTimeout(patience).ShouldNot(BeNil())
	g.Expect(r.Close()).To(Succeed())
	resume()
	h, err := history.Open(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(h.CaughtUp).To(BeFalse())
	g.Expect(h.Standstills).To(ConsistOf(HaveField("Lasted()", BeNumerically(">", time.Second))))
}

func TestAPulseOutlivesItsLease(t *testing.T) {
	g := NewWithT(t)
	startPulse(t)
	leases := kubernetes.NewForConfigOrDie(cluster.Config()).CoordinationV1().Leases("pulse")
	before, err := leases.Get(t.Context(), "pulse", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(leases.Delete(t.Context(), "pulse", metav1.DeleteOptions{})).To(Succeed())
	g.Eventually(func(ctx context.Context) (*coordinationv1.Lease, error) {
		return leases.Get(ctx, "pulse", metav1.GetOptions{})
	}).
		WithContext(t.Context()).WithTimeout(patience).
		Should(And(HaveField("UID", Not(Equal(before.UID))), HaveField("Spec.RenewTime", Not(BeNil()))))
}

func TestAPulseThatIsNotAllowedSaysSo(t *testing.T) {
	g := NewWithT(t)
	config := *cluster.Config()
	config.Impersonate.UserName = "nobody"
	_, err := pulse.Start(t.Context(), pulse.Options{Config: &config, Namespace: "pulse"})
	g.Expect(err).To(MatchError(And(ContainSubstring("standstills"), ContainSubstring("forbidden"))))
}

// stop stops the process of that name that the test has started, until the function that it returns is called, or the test ends.
func stop(t *testing.T, name string) (resume func()) {
	t.Helper()
	pid := childOf(t, os.Getpid(), name)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	resume = func() {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(resume)
	return resume
}

// childOf returns the process of that name that the parent has started, or one of its children has.
func childOf(t *testing.T, parent int, name string) int {
	t.Helper()
	var found int
	var look func(parent int)
	look = func(parent int) {
		lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range lists {
			children, err := os.ReadFile(list)
			if err != nil {
				continue // The thread has ended.
			}
			for field := range strings.FieldsSeq(string(children)) {
				var child int
				if _, err := fmt.Sscan(field, &child); err != nil {
					t.Fatal(err)
				}
				if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", child)); err == nil && strings.TrimSpace(string(comm)) == name {
					found = child
				}
				look(child)
			}
		}
	}
	look(parent)
	if found == 0 {
		t.Fatalf("no process %s", name)
	}
	return found
}
