package run

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/suites/spec"

	"k8s.io/client-go/rest"
)

// noCluster hands out kubeconfigs, and nothing else.
type noCluster struct{}

func (noCluster) Config() *rest.Config { return nil }

func (noCluster) KubeconfigFor(context.Context, string, ...string) (string, error) {
	return "kubeconfig", nil
}

// terminal is what a user sees. It may be written by several goroutines.
type terminal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *terminal) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(text)
}

func (t *terminal) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// supervised is a supervisor of a shell script.
func supervised(t *testing.T, script string, o options) (*supervisor, *terminal) {
	t.Helper()
	g := NewWithT(t)
	sh, err := exec.LookPath("sh")
	g.Expect(err).NotTo(HaveOccurred())
	mine := &implementation.Implementation{Name: "mine", Launch: implementation.LaunchSpec{
		Process: &implementation.ProcessSpec{Executable: sh, Args: []string{"-c", script}},
	}}
	dir := t.TempDir()
	running, err := implementation.Launch(t.Context(), mine, implementation.LaunchOptions{
		Cluster: noCluster{}, Artifact: implementation.Artifact{Executable: sh}, RunDir: dir, LogPath: filepath.Join(dir, "log"),
	})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(running.Stop(context.Background())).To(Succeed()) })
	out := &terminal{}
	s, err := supervise(&suiteRun{implementation: mine, options: o, out: &console{out: out}}, running, nil)
	g.Expect(err).NotTo(HaveOccurred())
	return s, out
}

// get asks the supervisor.
func get(t *testing.T, s *supervisor, path string) string {
	t.Helper()
	g := NewWithT(t)
	response, err := http.Get(s.address + path)
	g.Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(response.StatusCode).To(Equal(http.StatusOK), string(text))
	return string(text)
}

func TestTheEndOfTheImplementationIsToldAtOnceAndEndsTheRun(t *testing.T) {
	g := NewWithT(t)
	s, out := supervised(t, "echo last words; exit 3", options{onExit: onExitStop})
	g.Expect(get(t, s, spec.StopPath)).To(Equal("mine ended by itself: exit status 3"))
	g.Expect(out.String()).To(Equal("rollcall: mine ended by itself: exit status 3; the run ends (-on-exit=restart goes on); its log ended:\n    last words\n"))
	g.Expect(s.end()).To(Succeed())
	g.Expect(s.endedEarly()).To(Equal("mine ended by itself: exit status 3"))
	g.Expect(s.failure()).To(MatchError("mine ended by itself during the run: exit status 3\n  its log ended:\n    last words"))
	g.Expect(s.failure()).To(BeAssignableToTypeOf(implementation.Failure{}))
}

func TestAnImplementationThatIsToBeRestartedIsAndTheEndStays(t *testing.T) {
	g := NewWithT(t)
	// It ends the first time only.
	s, out := supervised(t, "[ -e once ] && exec sleep 600; touch once; exit 3", options{onExit: onExitRestart})
	g.Eventually(out.String, "20s").Should(HaveSuffix("rollcall: mine was started again and is ready\n"))
	g.Expect(out.String()).To(ContainSubstring("exit status 3; it is started again"))
	var health history.Health
	g.Expect(json.Unmarshal([]byte(get(t, s, spec.HealthPath+"?"+spec.HealthQuery(spec.LogEnd{}, "").Encode())), &health)).To(Succeed())
	g.Expect(health.Ended).To(Equal("exit status 3"), "a scenario that saw it")
	g.Expect(json.Unmarshal([]byte(get(t, s, spec.HealthPath+"?"+spec.HealthQuery(spec.LogEnd{Time: time.Now()}, "").Encode())), &health)).To(Succeed())
	g.Expect(s.end()).To(Succeed())
	g.Expect(s.endedEarly()).To(BeEmpty())
	g.Expect(s.failure()).To(MatchError(HavePrefix("mine ended by itself 1 times during the run, the first time: exit status 3")))
}

func TestAnImplementationThatLivesIsNoFailure(t *testing.T) {
	g := NewWithT(t)
	s, out := supervised(t, "echo about a; echo about b; exec sleep 600", options{onExit: onExitStop})
	var end spec.LogEnd
	g.Eventually(func() int64 {
		g.Expect(json.Unmarshal([]byte(get(t, s, spec.LogEndPath)), &end)).To(Succeed())
		return end.Position
	}, "10s").Should(BeEquivalentTo(len("about a\nabout b\n")))
	for query, want := range map[string][]string{
		spec.HealthQuery(spec.LogEnd{}, " a").Encode():      {"about a"},
		spec.HealthQuery(spec.LogEnd{}, "neither").Encode(): {"about a", "about b"},
		spec.HealthQuery(end, " a").Encode():                nil,
	} {
		var health history.Health
		g.Expect(json.Unmarshal([]byte(get(t, s, spec.HealthPath+"?"+query)), &health)).To(Succeed())
		g.Expect(health).To(Equal(history.Health{Log: want}), query)
	}
	g.Expect(s.end()).To(Succeed())
	g.Expect(s.failure()).NotTo(HaveOccurred())
	g.Expect(out.String()).To(BeEmpty())
}

func TestTheRunEndsWhenTheFirstSpecsAllMissTheSame(t *testing.T) {
	for name, row := range map[string]struct {
		keepGoing bool
		early     bool
	}{"by default": {false, true}, "with -keep-going": {true, false}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s, out := supervised(t, "exec sleep 600", options{onExit: onExitStop, keepGoing: row.keepGoing})
			for range alikeAtFirst {
				g.Expect(s.endedEarly()).To(BeEmpty())
				body, err := json.Marshal(spec.Ended{Spec: "a spec", Undecided: true, Cause: "creates of pods are refused"})
				g.Expect(err).NotTo(HaveOccurred())
				response, err := http.Post(s.address+spec.EndedPath, "application/json", bytes.NewReader(body))
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(response.Body.Close()).To(Succeed())
				g.Expect(response.StatusCode).To(Equal(http.StatusOK))
			}
			g.Expect(s.end()).To(Succeed())
			if row.early {
				g.Expect(s.endedEarly()).To(Equal("the first 5 specs could not be decided for the same reason: creates of pods are refused"))
				g.Expect(out.String()).To(ContainSubstring("(-keep-going goes on)"))
			} else {
				g.Expect(s.endedEarly()).To(BeEmpty())
			}
			g.Expect(s.failure()).NotTo(HaveOccurred())
		})
	}
}

func TestOnlySpecsThatAllMissTheSameEndTheRun(t *testing.T) {
	missed, another, unnamed := spec.Ended{Undecided: true, Cause: "a"}, spec.Ended{Undecided: true, Cause: "b"}, spec.Ended{Undecided: true}
	decided, both, neither := spec.Ended{Decided: true}, spec.Ended{Decided: true, Undecided: true, Cause: "a"}, spec.Ended{}
	for name, row := range map[string]struct {
		ended []spec.Ended
		early bool
	}{
		"all":                             {[]spec.Ended{missed, missed, missed, missed, missed}, true},
		"too few":                         {[]spec.Ended{missed, missed, missed, missed}, false},
		"what is not possible counts not": {[]spec.Ended{missed, neither, missed, missed, missed, missed}, true},
		"another cause":                   {[]spec.Ended{missed, another, missed, missed, missed, missed, missed}, false},
		"no cause":                        {[]spec.Ended{unnamed, unnamed, unnamed, unnamed, unnamed}, false},
		"one was decided":                 {[]spec.Ended{decided, missed, missed, missed, missed, missed}, false},
		"one was decided in part":         {[]spec.Ended{missed, missed, missed, missed, both, missed}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var f first
			said := ""
			for _, ended := range row.ended {
				if why := f.ended(ended); why != "" {
					said = why
				}
			}
			if row.early {
				NewWithT(t).Expect(said).NotTo(BeEmpty())
			} else {
				NewWithT(t).Expect(said).To(BeEmpty())
			}
		})
	}
}
