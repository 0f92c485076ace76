package controlplane

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestAFailedBuildShowsTheCompilersWordsAndLeavesNothing(t *testing.T) {
	for name, tt := range map[string]struct{ source, says string }{
		"source that does not compile":       {"package main\n\nfunc main() { undefinedName() }\n", "undefined: undefinedName"},
		"a program of another version":       {"package main\n\nfunc main() { println(\"Client Version: v1.36.0\") }\n", `was built as version v1.37.0 but says "Client Version: v1.36.0"`},
		"a version that only begins alike":   {"package main\n\nfunc main() { println(\"Client Version: v1.37.01\") }\n", `was built as version v1.37.0 but says`},
		"a program that cannot run":          {"package main\n\nfunc main() { panic(\"no such luck\") }\n", "asking the new kubectl for its version: exit status 2: panic: no such luck"},
		"a program that says nothing at all": {"package main\n\nfunc main() {}\n", `was built as version v1.37.0 but says ""`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			options := Options{ToolsDir: fakeTools(t), CacheDir: t.TempDir(), Names: []string{"kubectl"}}
			writeFiles(t, options.ToolsDir, map[string]string{"kubernetes/kubernetes/cmd/kubectl/main.go": tt.source})

			_, err := Ensure(t.Context(), options)
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			g.Expect(err).NotTo(MatchError(ErrUnknownVersion))
			left, err := filepath.Glob(filepath.Join(options.CacheDir, "kubernetes", "v1.37.0", platform(), "*"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left).To(HaveExactElements(HaveSuffix(".lock")))
		})
	}
}

func TestAnInterruptedBuildSaysSo(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user pressed Ctrl-C"))
	golang, err := findGo(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	module := toolModule{name: kubernetes, version: "v1.37.0", dir: filepath.Join(fakeTools(t), "kubernetes")}
	dir := t.TempDir()
	err = golang.build(ctx, module.dir, programs()[3], module, filepath.Join(dir, "kubectl"), filepath.Join(dir, "log"))
	g.Expect(err).To(MatchError(ContainSubstring("the user pressed Ctrl-C")))
}

func TestAnotherVersionIsBuiltFromAGeneratedModuleWithThePublishedStagingModules(t *testing.T) {
	g := NewWithT(t)
	tools := fakeTools(t)
	fakeProxy(t, "v1.31.2")
	options := Options{ToolsDir: tools, CacheDir: t.TempDir(), Version: "1.31.2"}

	path, told := ensureKubectl(t, options)
	g.Expect(path).To(Equal(filepath.Join(options.CacheDir, "kubernetes", "v1.31.2", platform(), "kubectl")))
	g.Expect(told).To(HavePrefix("kubernetes v1.31.2: fetching its source\nkubectl v1.31.2: not built yet"))
	_, told = ensureKubectl(t, options)
	g.Expect(told).To(BeEmpty())
}

func TestWithoutToolModulesThePinnedVersionsAreBuiltFromGeneratedOnes(t *testing.T) {
	g := NewWithT(t)
	fakeProxy(t, DefaultKubernetesVersion)
	t.Chdir(t.TempDir())
	options := Options{CacheDir: t.TempDir()}
	path, _ := ensureKubectl(t, options)
	g.Expect(readRecord(path).Version).To(Equal(DefaultKubernetesVersion))
	g.Expect(readRecord(path).Recipe).To(Equal(generatedRecipe))

	// From the checkout, go.sum decides; and what it decided on will do for others afterwards.
	committed := Options{CacheDir: options.CacheDir, ToolsDir: fakeTools(t)}
	_, told := ensureKubectl(t, committed)
	g.Expect(told).To(ContainSubstring("built before, but from other dependencies"))
	_, told = ensureKubectl(t, options)
	g.Expect(told).To(BeEmpty())
}

func TestAVersionThatDoesNotExistIsTheUsersErrorAndLeavesNothing(t *testing.T) {
	for name, tt := range map[string]struct{ version, says string }{
		"a patch that was never released": {"v1.31.9", `unknown Kubernetes version v1.31.9: the module proxy does not have it; of this minor version it has v1.31.2: `},
		"a minor that was never released": {"1.99.0", `unknown Kubernetes version v1.99.0: the module proxy does not have it; it has v1.31.2: `},
		"one that is too old":             {"1.5.0", `unknown Kubernetes version v1.5.0: rollcall takes v1.28.0 and later`},
		"a prerelease of the oldest":      {"1.28.0-rc.1", `unknown Kubernetes version v1.28.0-rc.1: rollcall takes v1.28.0 and later`},
		"two numbers":                     {"1.31", `unknown Kubernetes version "1.31": give all three numbers of a version 1.x.y, as in v1.37.0`},
		"another major version":           {"v2.0.0", `unknown Kubernetes version "v2.0.0": give all three`},
		"a word":                          {"latest", `unknown Kubernetes version "latest": give all three`},
		"a path":                          {"../v1.31.2", `unknown Kubernetes version "../v1.31.2": give all three`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			tools := fakeTools(t)
			fakeProxy(t, "v1.31.2")
			cache := filepath.Join(t.TempDir(), "cache")
			_, err := Ensure(t.Context(), Options{ToolsDir: tools, CacheDir: cache, Version: tt.version, Names: []string{"kubectl"}})
			g.Expect(err).To(MatchError(ErrUnknownVersion))
			g.Expect(err).To(MatchError(HavePrefix(tt.says)))
			g.Expect(cache).NotTo(BeADirectory())
		})
	}
}

func TestWhatIsMissingForABuildIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		options Options
		prepare func(t *testing.T)
		says    string
	}{
		"the go command": {
			prepare: func(t *testing.T) { t.Setenv("PATH", "") },
			says:    "there is no go command: install Go from",
		},
		"the network": {
			options: Options{Version: "v1.31.2"},
			prepare: func(t *testing.T) { t.Setenv("GOPROXY", "off"); t.Setenv("GOMODCACHE", t.TempDir()) },
			says:    "no module proxy could be reached to fetch k8s.io/kubernetes v1.31.2: connect this machine",
		},
		"a proxy that answers": {
			options: Options{Version: "v1.31.2"},
			prepare: func(t *testing.T) { t.Setenv("GOPROXY", "http://127.0.0.1:1"); t.Setenv("GOMODCACHE", t.TempDir()) },
			says:    "no module proxy could be reached to fetch k8s.io/kubernetes v1.31.2: connect this machine",
		},
		"a program by that name": {
			options: Options{Names: []string{"minikube"}},
			says:    `no control-plane program "minikube": there are kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, etcd, kwok, kubeadm,`,
		},
		"the tool modules": {
			options: Options{ToolsDir: "no-such-folder"},
			says:    "no such file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			tools := fakeTools(t)
			if tt.options.ToolsDir == "" {
				tt.options.ToolsDir = tools
			}
			if tt.options.Names == nil {
				tt.options.Names = []string{"kubectl"}
			}
			tt.options.CacheDir = t.TempDir()
			if tt.prepare != nil {
				tt.prepare(t)
			}
			_, err := Ensure(t.Context(), tt.options)
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			g.Expect(err).NotTo(MatchError(ErrUnknownVersion))
		})
	}
}

func TestTheDefaultVersionsAreThoseOfTheToolModulesOfTheCheckout(t *testing.T) {
	g := NewWithT(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	g.Expect(err).NotTo(HaveOccurred())
	all := append(programs(), nodePrograms()...)
	committed, err := toolModules(Options{}, moduleNames(all))
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir(t.TempDir())
	generated, err := toolModules(Options{}, moduleNames(all))
	g.Expect(err).NotTo(HaveOccurred())

	for _, name := range moduleNames(all) {
		g.Expect(committed[name].dir).To(Equal(filepath.Join(root, "hack", "tools", name)))
		g.Expect(generated[name].dir).To(BeEmpty())
		g.Expect(generated[name].version).To(Equal(committed[name].version), name)
		text, err := os.ReadFile(filepath.Join(committed[name].dir, "go.mod"))
		g.Expect(err).NotTo(HaveOccurred())
		for _, p := range all {
			if p.module == name {
				g.Expect(string(text)).To(ContainSubstring(p.pkg), "the tool module must name what is built from it")
			}
		}
	}
}

func TestTheTestsOfKubernetesAreBuiltInTheCheckoutForTheVersionThatItPins(t *testing.T) {
	g := NewWithT(t)
	names := moduleNames(testPrograms())
	pinned, err := toolModules(Options{}, names)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pinned[kubernetesTests].version).To(Equal(pinned[kubernetes].version))
	g.Expect(pinned[kubernetesTests].ldflags).To(Equal(pinned[kubernetes].ldflags))
	g.Expect(Names()).NotTo(ContainElement(KubernetesTests))

	_, err = toolModules(Options{Version: "1.36.3"}, names)
	g.Expect(err).To(MatchError(ContainSubstring("for the version that hack/tools pins, not v1.36.3")))
	t.Chdir(t.TempDir())
	_, err = toolModules(Options{}, names)
	g.Expect(err).To(MatchError(ContainSubstring("in rollcall's checkout alone")))
}

func TestProgramsOfRealNodesAreBuiltOnlyWhenAskedFor(t *testing.T) {
	g := NewWithT(t)
	byDefault, err := selected(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(namesOf(byDefault)).To(Equal(Names()))
	g.Expect(Names()).NotTo(ContainElements(NodeNames()))
	g.Expect(moduleNames(byDefault)).To(HaveExactElements(kubernetes, etcd, kwok))

	asked, err := selected([]string{"kubelet", "ctr"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(namesOf(asked)).To(HaveExactElements("kubelet", "ctr"))
	g.Expect(moduleNames(asked)).To(ContainElement(containerd))
}

func TestOldVersionsAreBuiltWithoutCloudProviders(t *testing.T) {
	for version, tags := range map[string]string{
		"":        "",
		"1.28.0":  "providerless",
		"1.30.14": "providerless",
		"1.31.0":  "",
		"1.36.3":  "",
	} {
		t.Run(version, func(t *testing.T) {
			g := NewWithT(t)
			modules, err := toolModules(Options{ToolsDir: fakeTools(t), Version: version}, moduleNames(programs()))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(modules[kubernetes].tags).To(Equal(tags))
			g.Expect(modules[etcd].tags).To(BeEmpty())
		})
	}
}

func TestWithoutAHomeFolderTheUserIsToldWhatToSet(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	_, err := Ensure(t.Context(), Options{})
	g.Expect(err).To(MatchError(ErrNoCacheDir))
	g.Expect(err).To(MatchError(ContainSubstring("set XDG_CACHE_HOME or HOME")))
}
