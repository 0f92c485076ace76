package embedded_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/fixtures"
	"github.com/rollcall-conformance/rollcall/framework/audit"
)

// flags are a component's, with their values.
type flags map[string]string

// parseFlags reads flags without dashes. One without a value has none.
func parseFlags(all ...string) flags {
	parsed := flags{}
	for _, flag := range all {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		parsed[name] = value
	}
	return parsed
}

// ours are the flags with which the tests' control plane runs, by component.
func ours(t *testing.T) map[string]flags {
	t.Helper()
	folder, ok := shared.AuditLog().(audit.Folder)
	NewWithT(t).Expect(ok).To(BeTrue())
	all := map[string]flags{}
	for _, line := range processesOf(t, filepath.Dir(string(folder))) {
		words := strings.Fields(line)
		all[filepath.Base(words[0])] = parseFlags(words[1:]...)
	}
	return all
}

// kubeadms are those that kubeadm sets, by component.
func kubeadms(t *testing.T) map[string]flags {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "kubeadm.txt"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	words := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if component, flag, ok := strings.Cut(strings.TrimSpace(line), " "); ok && component != "#" {
			words[component] = append(words[component], flag)
		}
	}
	all := map[string]flags{}
	for component, set := range words {
		all[component] = parseFlags(set...)
	}
	return all
}

// different are the names of the flags that differ, sorted. What kubeadm says nothing definite of may be anything.
func different(ours, kubeadms flags) []string {
	names := map[string]bool{}
	for name, value := range ours {
		expected, set := kubeadms[name]
		names[name] = !set || expected != "" && expected != value
	}
	for name := range kubeadms {
		if _, set := ours[name]; !set {
			names[name] = true
		}
	}
	maps.DeleteFunc(names, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(names))
}

// documented are the flags in the table of docs/embedded.md, by component.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	g := NewWithT(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "embedded.md"))
	g.Expect(err).NotTo(HaveOccurred())
	quoted := regexp.MustCompile("`([^`]+)`")
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 2 || !quoted.MatchString(cells[min(2, len(cells)-1)]) || !strings.HasPrefix(line, "|") {
			continue
		}
		g.Expect(cells).To(HaveLen(7), line)
		g.Expect(strings.TrimSpace(cells[5])).NotTo(BeEmpty(), "a reason: %s", line)
		component := strings.TrimSpace(cells[1])
		for _, flag := range quoted.FindAllStringSubmatch(cells[2], -1) {
			all[component] = append(all[component], flag[1])
		}
	}
	for _, names := range all {
		slices.Sort(names)
	}
	return all
}

func TestEveryFlagThatIsNotKubeadmsHasAReason(t *testing.T) {
	g := NewWithT(t)
	running, expected, told := ours(t), kubeadms(t), documented(t)
	g.Expect(slices.Sorted(maps.Keys(expected))).To(Equal([]string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}))
	for component := range expected {
		g.Expect(running).To(HaveKey(component))
		g.Expect(told[component]).To(Equal(different(running[component], expected[component])), "docs/embedded.md, %s", component)
	}
}

func TestKindHasTheSameFlags(t *testing.T) {
	g := NewWithT(t)
	text, err := fs.ReadFile(fixtures.Files(), "kind/control-plane.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	type component struct {
		ExtraArgs flags `json:"extraArgs"`
	}
	var configuration struct {
		ControllerManager component `json:"controllerManager"`
		Scheduler         component `json:"scheduler"`
		Etcd              struct {
			Local component `json:"local"`
		} `json:"etcd"`
	}
	g.Expect(yaml.Unmarshal(text, &configuration)).To(Succeed())
	running := ours(t)
	for name, of := range map[string]component{
		"kube-controller-manager": configuration.ControllerManager, "kube-scheduler": configuration.Scheduler, "etcd": configuration.Etcd.Local,
	} {
		g.Expect(of.ExtraArgs).NotTo(BeEmpty(), name)
		for flag, value := range of.ExtraArgs {
			// A switch may go without its value.
			g.Expect(running[name]).To(HaveKeyWithValue(flag, Or(Equal(value), Equal(strings.TrimPrefix(value, "true")))), name)
		}
	}
}
