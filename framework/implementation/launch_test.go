package implementation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// nowhere is a cluster that hands out kubeconfigs and cannot be reached.
type nowhere struct{ users []string }

func (n *nowhere) Config() *rest.Config { return &rest.Config{Host: "http://127.0.0.1:1"} }

func (n *nowhere) KubeconfigFor(_ context.Context, user string, groups ...string) (string, error) {
	n.users = append(n.users, fmt.Sprintf("%s in %s", user, strings.Join(groups, "+")))
	return "/kubeconfigs/" + user, nil
}

// mine is an implementation that is this test binary in a role.
func mine(role string) *Implementation {
	return &Implementation{Name: "mine", Launch: LaunchSpec{Process: &ProcessSpec{
		Executable: os.Args[0],
		Args:       []string{"127.0.0.1:${PORT}", "--kubeconfig=${KUBECONFIG}", "${BIN_DIR}/etcd"},
		Env:        map[string]string{roleVariable: role, "RUN_DIR": "${RUN_DIR}"},
		ReadyURL:   "http://127.0.0.1:${PORT}/readyz", ReadyText: "listening", ReadyTimeout: 10 * time.Second,
		User: User{Name: "rollcall", Groups: []string{"one", "two"}},
	}}}
}

func launchOptions(t *testing.T) (LaunchOptions, *nowhere) {
	t.Helper()
	cluster := &nowhere{}
	dir := t.TempDir()
	return LaunchOptions{
		Cluster: cluster, Artifact: Artifact{Executable: os.Args[0]}, RunDir: filepath.Join(dir, "run"), BinDir: "/binaries", LogPath: filepath.Join(dir, "mine.log"),
	}, cluster
}

func TestAnImplementationIsLaunchedWithItsIdentityAndCanBeKilledAndRestarted(t *testing.T) {
	g := NewWithT(t)
	options, cluster := launchOptions(t)
	running, err := Launch(t.Context(), mine(roleServe), options)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(running.Stop(context.Background())).To(Succeed()) })

	g.Expect(cluster.users).To(Equal([]string{"rollcall in one+two"}))
	said := []string{`["--kubeconfig=/kubeconfigs/rollcall" "/binaries/etcd"] in ` + options.RunDir}
	g.Expect(running.LogTail(5)).To(Equal(said))

	restarter, suspender := capability[Restarter](t, running), capability[Suspender](t, running)
	g.Expect(capability[Killer](t, running).Kill(t.Context())).To(Succeed())
	g.Expect(running.AwaitReady(t.Context())).To(MatchError(HavePrefix("waiting for mine: it ended (signal: killed)")))
	g.Expect(restarter.Restart(t.Context())).To(Succeed())
	g.Expect(running.AwaitReady(t.Context())).To(Succeed())
	g.Expect(suspender.Suspend(t.Context())).To(Succeed())
	g.Expect(suspender.Resume(t.Context())).To(Succeed())
	g.Expect(running.LogTail(5)).To(Equal(said))
	g.Expect(running.Stop(t.Context())).To(Succeed())
	g.Expect(running.ExitStatus()).To(BeEmpty(), "it was asked to")
}

func TestAPortThatSomebodyTookIsExchangedForAnother(t *testing.T) {
	g := NewWithT(t)
	options, _ := launchOptions(t)
	running, err := Launch(t.Context(), mine(rolePortTaken), options)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(running.Stop(context.Background())).To(Succeed()) })
	log, err := os.ReadFile(options.LogPath)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(log)).To(ContainSubstring("address already in use"))
}

func TestAnImplementationThatIsNotReadyInTimeIsAnErrorWithItsAnswer(t *testing.T) {
	for name, tt := range map[string]struct{ role, text, says string }{
		"refusing":                {role: roleUnready, says: "answers 503 Service Unavailable: caches are not synced"},
		"without the text wanted": {role: roleServe, text: "[+]controller ok", says: `answers without "[+]controller ok": listening`},
	} {
		t.Run(name, func(t *testing.T) {
			options, _ := launchOptions(t)
			i := mine(tt.role)
			i.Launch.Process.ReadyTimeout = time.Second
			i.Launch.Process.ReadyText = tt.text
			_, err := Launch(t.Context(), i, options)
			NewWithT(t).Expect(err).To(MatchError(SatisfyAll(
				ContainSubstring("mine: not ready after 1s"), ContainSubstring(tt.says), ContainSubstring("/binaries/etcd"),
			)))
			NewWithT(t).Expect(errors.As(err, new(Failure))).To(BeTrue(), "it is to blame")
		})
	}
}

func TestNobodyElseAnswersThatTheImplementationIsReady(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "listening") }))
	defer other.Close()
	options, _ := launchOptions(t)
	i := mine(roleServe)
	i.Launch.Process.ReadyURL = other.URL
	_, err := Launch(t.Context(), i, options)
	NewWithT(t).Expect(err).To(MatchError(SatisfyAll(ContainSubstring(other.URL+" answers already"), ContainSubstring("${PORT}"))))
	NewWithT(t).Expect(errors.As(err, new(Failure))).To(BeTrue(), "nothing else can be tested")
}

func TestAClusterThatRefusesTheManifestsIsAnError(t *testing.T) {
	options, _ := launchOptions(t)
	i := mine(roleServe)
	i.Launch.Process.Manifests = []Manifest{{Path: "rbac.yaml", Content: []byte("{apiVersion: v1, kind: Namespace, metadata: {name: mine}}")}}
	_, err := Launch(t.Context(), i, options)
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("preparing the cluster for the implementation mine: applying rbac.yaml: Namespace mine: ")))
	NewWithT(t).Expect(errors.As(err, new(Failure))).To(BeFalse(), "it is not to blame for a cluster that does not answer")
}

func TestNobodyIsToBlameForWhatWasInterrupted(t *testing.T) {
	options, _ := launchOptions(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Launch(ctx, mine(roleServe), options)
	NewWithT(t).Expect(err).To(HaveOccurred())
	NewWithT(t).Expect(errors.As(err, new(Failure))).To(BeFalse())
}

func TestManifestsAreAppliedWhateverWasThereBefore(t *testing.T) {
	g := NewWithT(t)
	c := fake.NewClientBuilder().Build()
	manifest := func(value string) []Manifest {
		return []Manifest{{Path: "m.yaml", Content: []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n---\n" +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: mine}\ndata: {key: " + value + "}\n")}}
	}
	for _, value := range []string{"first", "second"} {
		g.Expect(apply(t.Context(), c, manifest(value))).To(Succeed())
		var settings corev1.ConfigMap
		g.Expect(c.Get(t.Context(), client.ObjectKey{Namespace: "mine", Name: "settings"}, &settings)).To(Succeed())
		g.Expect(settings.Data).To(Equal(map[string]string{"key": value}))
	}
}

func TestAnImplementationLaunchedByOthersIsLeftAlone(t *testing.T) {
	g := NewWithT(t)
	i := &Implementation{Name: "theirs"}
	g.Expect(i.Build(t.Context(), BuildOptions{Dir: t.TempDir()})).To(BeZero())
	running, err := Launch(t.Context(), i, LaunchOptions{})
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(running.AwaitReady(t.Context())).To(Succeed(), "as far as anybody knows")
	g.Expect(running.Stop(t.Context())).To(Succeed())
	for _, err := range []error{
		missing[Restarter](t, running), missing[Reconfigurer](t, running), missing[Killer](t, running), missing[Suspender](t, running),
		missing[Crasher](t, running), missing[PodDeleter](t, running), missing[Network](t, running),
	} {
		g.Expect(err).To(MatchError(ErrLaunchedByOthers))
	}
	g.Expect(running.Exited()).To(BeNil(), "nobody hears of its end")
	g.Expect(running.ExitStatus()).To(BeEmpty())
	g.Expect(running.LogTail(1)).To(BeEmpty())
}

func TestWhatIsRunIsFoundOrBuilt(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(dir, name)
		NewWithT(t).Expect(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode))).To(Succeed())
	}
	write("bin/kube-controller-manager", "#!/bin/sh\n", 0o755)
	write("installed/kube-controller-manager", "#!/bin/sh\n", 0o755)
	write("installed/other", "#!/bin/sh\n", 0o755)
	write("files/controller", "#!/bin/sh\n", 0o755)
	write("files/plain", "", 0o600)
	write("files/go.mod", "module example.test/mine\n\ngo 1.21\n", 0o600)
	write("files/cmd/main.go", "package main\n\nfunc main() {}\n", 0o600)
	write("files/broken/main.go", "package main\n\nfunc main() { undefinedName() }\n", 0o600)
	write("files/lib/lib.go", "package lib\n", 0o600)
	t.Setenv("PATH", filepath.Join(dir, "installed")+string(os.PathListSeparator)+os.Getenv("PATH"))

	for name, tt := range map[string]struct {
		spec ProcessSpec
		path string
		says string
	}{
		"a control-plane program, of the cluster's version": {spec: ProcessSpec{Executable: "kube-controller-manager"}, path: "bin/kube-controller-manager"},
		"a name in PATH":                  {spec: ProcessSpec{Executable: "other"}, path: "installed/other"},
		"a path beside the file":          {spec: ProcessSpec{Executable: "./controller"}, path: "files/controller"},
		"a path from the root":            {spec: ProcessSpec{Executable: filepath.Join(dir, "installed", "other")}, path: "installed/other"},
		"a name that is nowhere":          {spec: ProcessSpec{Executable: "nowhere"}, says: "nowhere is neither a control-plane program in " + filepath.Join(dir, "bin") + " nor in PATH"},
		"a file that is not executable":   {spec: ProcessSpec{Executable: "./plain"}, says: "permission denied"},
		"a package beside the file":       {spec: ProcessSpec{GoPackage: "./cmd"}, path: "built/mine"},
		"a package that does not compile": {spec: ProcessSpec{GoPackage: "./broken"}, says: "go build ./broken: exit status 1:\n    # example.test/mine/broken\n    broken/main.go:3:15: undefined: undefinedName"},
		"a package that is no program":    {spec: ProcessSpec{GoPackage: "./lib"}, says: "permission denied"},
		"a package that is not there":     {spec: ProcessSpec{GoPackage: "./nowhere"}, says: "go build ./nowhere: exit status 1:"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			tt.spec.folder = filepath.Join(dir, "files")
			g.Expect(os.RemoveAll(filepath.Join(dir, "built"))).To(Succeed())
			i := &Implementation{Name: "mine", Launch: LaunchSpec{Process: &tt.spec}}
			got, err := i.Build(t.Context(), BuildOptions{Dir: filepath.Join(dir, "built"), BinDir: filepath.Join(dir, "bin")})
			if tt.says != "" {
				g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
				g.Expect(err).To(MatchError(ContainSubstring("the implementation mine")))
				g.Expect(errors.As(err, new(Failure))).To(BeTrue())
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(Artifact{Executable: filepath.Join(dir, tt.path)}))
		})
	}
}
