package implementation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

const least = `apiVersion: rollcall.dev/v1alpha1
kind: Implementation
metadata: {name: mine}
spec:
  features: [DaemonSet]
  launch: {none: {}}
`

func TestTheLeastAFileMustSayAndWhatItMeans(t *testing.T) {
	g := NewWithT(t)
	i, err := load(t, least)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(i.Name).To(Equal("mine"))
	g.Expect(i.RevisionLabel).To(Equal("controller-revision-hash"))
	g.Expect(i.Workload).To(Equal(workload.DaemonSet()))
	g.Expect(i.Features).To(Equal([]requirements.Feature{requirements.DaemonSet}))
	g.Expect(i.Claims(requirements.DaemonSet)).To(BeTrue())
	g.Expect(i.Claims(requirements.Surge)).To(BeFalse())
	g.Expect(i.Replaces).To(BeEmpty())
	g.Expect(i.Launch.Process).To(BeNil())
}

func TestEverythingAFileMaySay(t *testing.T) {
	g := NewWithT(t)
	i, err := load(t, `apiVersion: rollcall.dev/v1alpha1
kind: Implementation
metadata: {name: mine}
spec:
  organization: Example
  project: Rollouts
  url: https://example.test/rollouts
  version: v2 on ${KUBERNETES_VERSION}
  contact: [me@example.test]
  workload: {group: example.test, version: v1, kind: Daemon, resource: daemons}
  revisionLabel: example.test/revision
  podUpdatePolicy: {annotation: example.test/update, inPlaceIfPossible: in-place, recreate: anew}
  features: [DaemonSet, InPlaceUpdate]
  replaces: [daemonset-controller, disruption-controller]
  launch:
    process:
      executable: ./bin/controller
      args: &args ["--kubeconfig=${KUBECONFIG}", "--port=${PORT}", "costs $5", "${BIN_DIR}/etcd"]
      electionArgs: [--elect=true]
      env: {DATA: "${RUN_DIR}/data"}
      ready: {url: "https://127.0.0.1:${PORT}/readyz", contains: "all well", timeout: 90s}
      user: {name: example, groups: [one, two]}
    gates: {DaemonSetUpdateSurge: "--feature-gates=DaemonSetUpdateSurge=${ON}"}
  knownDeviations:
    - {requirement: SURGE-024, issue: "https://example.test/1"}
`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*i.Launch.Process).To(Equal(ProcessSpec{
		Executable:   "./bin/controller",
		Args:         []string{"--kubeconfig=${KUBECONFIG}", "--port=${PORT}", "costs $5", "${BIN_DIR}/etcd"},
		ElectionArgs: []string{"--elect=true"},
		Env:          map[string]string{"DATA": "${RUN_DIR}/data"},
		ReadyURL:     "https://127.0.0.1:${PORT}/readyz", ReadyText: "all well", ReadyTimeout: 90 * time.Second,
		User:   User{Name: "example", Groups: []string{"one", "two"}},
		folder: filepath.Dir(i.File),
	}))
	g.Expect(i.Launch.Gates).To(Equal(map[string]string{"DaemonSetUpdateSurge": "--feature-gates=DaemonSetUpdateSurge=${ON}"}))
	i.Launch = LaunchSpec{}
	g.Expect(*i).To(Equal(Implementation{
		Name: "mine", File: i.File,
		Organization: "Example", Project: "Rollouts", URL: "https://example.test/rollouts", Version: "v2 on ${KUBERNETES_VERSION}",
		Contact:         []string{"me@example.test"},
		Workload:        workload.Workload{Group: "example.test", Version: "v1", Kind: "Daemon", Resource: "daemons", Codec: workload.SameFields},
		RevisionLabel:   "example.test/revision",
		PodUpdatePolicy: history.UpdatePolicy{Annotation: "example.test/update", InPlaceIfPossible: "in-place", Recreate: "anew"},
		Features:        []requirements.Feature{requirements.DaemonSet, requirements.InPlaceUpdate},
		Replaces:        []string{"daemonset-controller", "disruption-controller"},
		KnownDeviations: []KnownDeviation{{Requirement: "SURGE-024", Issue: "https://example.test/1"}},
	}))
	g.Expect(i.VersionOn("v1.36.3")).To(Equal("v2 on v1.36.3"))
}

func TestWhatIsWrongInAFileIsNamedByItsLineWithWhatIsAllowed(t *testing.T) {
	// Each case changes the least file; its lines are 3 metadata, 5 features, 6 launch.
	inSpec := func(lines string) string { return least + lines }
	launch := func(text string) string { return strings.Replace(least, "{none: {}}", text, 1) }
	process := func(lines string) string { return launch("\n    process:\n" + lines) }
	runs := "      executable: true-ish\n" // line 8
	for name, tt := range map[string]struct{ text, says string }{
		"nothing":                        {"", "1: the file is empty"},
		"not YAML":                       {"a: [1,\nb: {", "2: not YAML: "},
		"a second document":              {least + "---\na: b\n", "7: a second document"},
		"a list":                         {"- a\n", "1: the document must be a mapping with the fields apiVersion, kind, metadata, spec"},
		"another version of the format":  {strings.Replace(least, "v1alpha1", "v1", 1), `1: unknown apiVersion "rollcall.dev/v1": allowed are rollcall.dev/v1alpha1`},
		"another kind":                   {strings.Replace(least, "Implementation", "Controller", 1), `2: unknown kind "Controller": allowed are Implementation`},
		"no kind":                        {strings.Replace(least, "kind: Implementation\n", "", 1), "1: the document has no kind"},
		"a name with capitals":           {strings.Replace(least, "mine", "Mine", 1), `3: metadata.name "Mine": a lowercase RFC 1123 label`},
		"a field in metadata":            {strings.Replace(least, "{name: mine}", "{name: mine, labels: {}}", 1), `3: unknown field "labels" in metadata: allowed are name`},
		"a misspelt field":               {inSpec("  feature: []\n"), `7: unknown field "feature" in spec: allowed are organization, project, url, version, contact, workload, revisionLabel, podUpdatePolicy, features, replaces, launch, knownDeviations`},
		"a field twice":                  {inSpec("  features: [Surge]\n"), `7: field "features" of spec is given twice`},
		"a misspelt feature":             {strings.Replace(least, "DaemonSet]", "DaemonSet,\n    Surg]", 1), `6: unknown feature "Surg": allowed are DaemonSet, Surge, HostPortRejection, RolloutConditions, SurgeGate, InPlaceUpdate, DisruptionBudget, Eviction, UnitedDaemonSet, StatefulSetInPlace`},
		"a feature twice":                {strings.Replace(least, "DaemonSet]", "DaemonSet, DaemonSet]", 1), "5: feature DaemonSet is given twice"},
		"no feature":                     {strings.Replace(least, "[DaemonSet]", "[]", 1), ": spec.features is empty: an implementation claims at least one of DaemonSet, Surge"},
		"evictions by others' budgets":   {strings.Replace(least, "DaemonSet]", "Eviction]", 1), ": spec.features has Eviction without DisruptionBudget: "},
		"budgets that others compute":    {strings.Replace(process(runs), "DaemonSet]", "DisruptionBudget]", 1), ": spec.features has DisruptionBudget, but spec.replaces has no disruption-controller: "},
		"StatefulSets of others":         {strings.Replace(process(runs), "DaemonSet]", "StatefulSetInPlace]", 1), ": spec.features has StatefulSetInPlace, but spec.replaces has no statefulset-controller: "},
		"features without a list":        {strings.Replace(least, "[DaemonSet]", "DaemonSet", 1), "5: spec.features must be a list"},
		"features left empty":            {strings.Replace(least, "[DaemonSet]", "", 1), "5: spec has no features"},
		"a number where text is due":     {inSpec("  version: 1.10\n"), "7: spec.version must be text (put it in quotes)"},
		"empty text":                     {inSpec("  project: ''\n"), "7: spec.project is empty"},
		"another variable in version":    {inSpec("  version: ${VERSION}\n"), "7: unknown variable ${VERSION}: allowed are ${KUBERNETES_VERSION}"},
		"an address without scheme":      {inSpec("  url: example.test\n"), `7: spec.url "example.test" is not an address`},
		"a label key with a blank":       {inSpec("  revisionLabel: my label\n"), `7: spec.revisionLabel "my label": name part must consist of`},
		"a workload without resource":    {inSpec("  workload: {group: a.test, version: v1, kind: A}\n"), "7: spec.workload has no resource"},
		"a workload in no group":         {inSpec("  workload: {group: '', version: v1, kind: A, resource: as}\n"), "7: spec.workload.group is empty"},
		"a workload of another kind":     {inSpec("  workload: {group: a.test, version: v1, kind: A/B, resource: as}\n"), `7: spec.workload.kind "A/B": a DNS-1035 label`},
		"a codec that is not there":      {inSpec("  workload: {group: a.test, version: v1, kind: A, resource: as, codec: magic}\n"), `7: unknown codec "magic": allowed are same-fields`},
		"a controller of another sort":   {inSpec("  replaces: [namespace-controller]\n"), `7: unknown controller "namespace-controller": allowed are daemonset-controller, disruption-controller, statefulset-controller`},
		"an unknown requirement":         {inSpec("  knownDeviations:\n    - issue: https://example.test/1\n      requirement: SURGE-999\n"), `9: unknown requirement "SURGE-999": SURGE goes from SURGE-001 to SURGE-026`},
		"a requirement twice":            {inSpec("  knownDeviations:\n    - {requirement: SURGE-001, issue: 'https://a.test'}\n    - {requirement: SURGE-001, issue: 'https://b.test'}\n"), "9: requirement SURGE-001 is given twice"},
		"a deviation nobody discusses":   {inSpec("  knownDeviations: [{requirement: SURGE-001}]\n"), "7: spec.knownDeviations[0] has no issue"},
		"no launch":                      {strings.Replace(least, "  launch: {none: {}}\n", "", 1), "5: spec has no launch"},
		"an empty launch":                {launch("{}"), "6: spec.launch says no way to launch: give process, image or both, or none"},
		"none and a process":             {launch("{none: {}, process: {executable: x}}"), "6: spec.launch.none says that others launch the implementation: leave it out"},
		"none and an image":              {launch("{none: {}, image: {}}"), "6: spec.launch.none says that others launch the implementation: leave it out"},
		"an unknown way to launch":       {launch("{magic: {}}"), `6: unknown field "magic" in spec.launch: allowed are process, image, gates, none`},
		"a gate that nobody switches":    {launch("\n    process: {executable: x}\n    gates: {Surge: '--surge=${ON}'}"), `8: unknown field "Surge" in spec.launch.gates: allowed are DaemonSetUpdateSurge`},
		"a gate that is always on":       {launch("\n    process: {executable: x}\n    gates: {DaemonSetUpdateSurge: --surge}"), `8: spec.launch.gates.DaemonSetUpdateSurge "--surge" is not an argument that switches it: write one like --feature-gates=DaemonSetUpdateSurge=${ON}`},
		"a gate by another variable":     {launch("\n    process: {executable: x}\n    gates: {DaemonSetUpdateSurge: '--surge=${ON}${OFF}'}"), "8: unknown variable ${OFF}: allowed are ${ON}"},
		"a gate of nobody":               {launch("{none: {}, gates: {DaemonSetUpdateSurge: '--surge=${ON}'}}"), "6: spec.launch.none says that others launch the implementation: leave it out"},
		"an image by name":               {launch("{image: example.test/controller}"), "6: spec.launch.image must be a mapping with the fields goPackage, archive, reference, controlPlane, manifests, deployment"},
		"something in none":              {launch("{none: {wait: 5s}}"), `6: unknown field "wait" in spec.launch.none: it has no fields`},
		"nothing to run":                 {process("      args: []\n"), "8: spec.launch.process must have exactly one of goPackage and executable"},
		"two things to run":              {process(runs + "      goPackage: ./x\n"), "8: spec.launch.process must have exactly one of goPackage and executable"},
		"an unknown variable in args":    {process(runs + "      args:\n        - --a\n        - --config=${CONFIG}\n"), "11: unknown variable ${CONFIG}: allowed are ${KUBECONFIG}, ${PORT}, ${METRICS_PORT}, ${RUN_DIR}, ${BIN_DIR}"},
		"a variable that does not end":   {process(runs + "      args: ['${PORT']\n"), "9: unknown variable ${PORT: allowed are"},
		"an unknown variable in env":     {process(runs + "      env: {A: '${B}'}\n"), "9: unknown variable ${B}: allowed are"},
		"an unknown variable in ready":   {process(runs + "      ready: {url: 'http://${HOST}:${PORT}'}\n"), "9: unknown variable ${HOST}: allowed are"},
		"readiness without address":      {process(runs + "      ready: {url: 'tcp://127.0.0.1'}\n"), `9: spec.launch.process.ready.url "tcp://127.0.0.1" is not an address`},
		"readiness in no time":           {process(runs + "      ready: {url: 'http://127.0.0.1', timeout: soon}\n"), `9: spec.launch.process.ready.timeout "soon" is not a length of time: write 90s or 2m`},
		"an argument that is a number":   {process(runs + "      args: [--n, 5]\n"), "9: spec.launch.process.args[1] must be text (put it in quotes)"},
		"a user without name":            {process(runs + "      user: {groups: [g]}\n"), "9: spec.launch.process.user has no name"},
		"a manifest that is not there":   {process(runs + "      manifests: [no-such.yaml]\n"), "9: manifest no-such.yaml: open "},
		"a manifest that is no manifest": {process(runs + "      manifests: [mine.yaml]\n      env: {}\n"), "9: manifest mine.yaml: document 1 is no Kubernetes object: it needs apiVersion, kind and metadata.name"},
	} {
		t.Run(name, func(t *testing.T) {
			text := tt.text
			if strings.Contains(name, "no manifest") {
				// The implementation file itself serves as the manifest; without a name of its own it is none.
				text = strings.Replace(text, "metadata: {name: mine}", "metadata: {}", 1)
			}
			_, err := load(t, text)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring("mine.yaml:" + strings.TrimPrefix(tt.says, ":"))))
		})
	}
}

func TestEverythingWrongIsReportedAtOnceInTheOrderOfTheFile(t *testing.T) {
	_, err := load(t, strings.NewReplacer("v1alpha1", "v2", "[DaemonSet]", "[A, B]", "{none: {}}", "{}").Replace(least))
	g := NewWithT(t)
	g.Expect(err).To(HaveOccurred())
	var lines []string
	for line := range strings.Lines(err.Error()) {
		_, rest, _ := strings.Cut(line, "mine.yaml:")
		number, _, _ := strings.Cut(rest, ":")
		lines = append(lines, number)
	}
	g.Expect(lines).To(Equal([]string{"1", "5", "5", "6"}))
}

func TestAnAliasIsReadAsWhatItStandsFor(t *testing.T) {
	g := NewWithT(t)
	i, err := load(t, least+"  project: &p Rollouts\n  organization: *p\n")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(i.Organization).To(Equal("Rollouts"))
}

func TestAProcessWithoutUserIsAnAdministrator(t *testing.T) {
	g := NewWithT(t)
	i, err := load(t, strings.Replace(least, "{none: {}}", "{process: {executable: x}}", 1))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(i.Launch.Process.User).To(Equal(User{Name: "mine", Groups: []string{"system:masters"}}))
}

func TestManifestsAreFoundBesideTheFile(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	manifest := "# access\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n"
	g.Expect(os.MkdirAll(filepath.Join(dir, "rbac"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(dir, "rbac", "namespace.yaml"), []byte(manifest), 0o600)).To(Succeed())
	file := filepath.Join(dir, "mine.yaml")
	text := strings.Replace(least, "{none: {}}", "{process: {executable: x, manifests: [rbac/namespace.yaml]}}", 1)
	g.Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())

	i, err := Load(file, catalogue(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(i.Launch.Process.Manifests).To(Equal([]Manifest{{Path: "rbac/namespace.yaml", Content: []byte(manifest)}}))
}

func TestThePackageThatIsBuiltIsAProgramBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cmd/mine/main.go": "package main\n", "mine/mine.go": "package mine\n", "docs/README.md": "none\n", "broken/main.go": "pakage main\n",
		"tagged/main.go": "//go:build mine\n\npackage main\n",
	} {
		path := filepath.Join(dir, name)
		NewWithT(t).Expect(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600))).To(Succeed())
	}
	for goPackage, says := range map[string]string{
		"./cmd/mine":         "",
		"./broken":           "", // the compiler says what is wrong with it
		"./tagged":           "", // GOFLAGS may have the tag
		"example.test/mine":  "", // the go command knows where it is
		"./cmd/mien":         "there is no such folder",
		"./cmd/mine/main.go": "it is a file",
		"./docs":             "no Go files",
		"./mine":             "it is package mine, which is no program",
	} {
		t.Run(goPackage, func(t *testing.T) {
			g := NewWithT(t)
			file := filepath.Join(dir, "mine.yaml")
			g.Expect(os.WriteFile(file, []byte(strings.Replace(least, "{none: {}}", "{process: {goPackage: "+goPackage+"}}", 1)), 0o600)).To(Succeed())
			_, err := Load(file, catalogue(t))
			if says == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring("mine.yaml:6: spec.launch.process.goPackage %q: %s", goPackage, says)))
		})
	}
}

func TestTheShippedFilesLoadByNameAndByPath(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Shipped()).To(ConsistOf("reference", "kube-controller-manager", "toy"))
	for _, name := range Shipped() {
		byName, err := Load(name, catalogue(t))
		g.Expect(err).NotTo(HaveOccurred())
		byPath, err := Load(filepath.Join("..", "..", "fixtures", "implementations", name+".yaml"), catalogue(t))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(byName.Name).To(Equal(name))
		if name != "toy" {
			g.Expect(byName.Replaces).To(ContainElement("daemonset-controller"))
		}
		g.Expect(byName.Claims(requirements.Surge)).To(BeTrue())
		byPath.File, byPath.Launch.Process.folder = byName.File, ""
		if byPath.Launch.Image != nil {
			byPath.Launch.Image.folder = ""
		}
		g.Expect(byPath).To(Equal(byName))
	}
}

func TestALocatedFileLoadsFromAnyWorkingDirectory(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(folder, "mine.yaml"), []byte(least), 0o600)).To(Succeed())
	t.Chdir(folder)
	mine, err := Locate("./mine.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	shipped, err := Locate("reference")
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir(t.TempDir())
	for name, located := range map[string]string{"mine": mine, "reference": shipped} {
		i, err := Load(located, catalogue(t))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(i.Name).To(Equal(name))
	}
}

func TestAFileThatIsNotThereIsAnErrorThatListsWhatIsShipped(t *testing.T) {
	for given, says := range map[string]string{
		"referense":     `no implementation "referense" is shipped: there are kube-controller-manager, reference, toy; for a file of your own give its path, as in ./referense.yaml`,
		"":              "no implementation is named: give the path of an implementation file, or one of kube-controller-manager, reference, toy",
		"./testdata":    "./testdata is a folder: name the implementation file in it",
		"./missing.yml": "reading the implementation file: open ./missing.yml: no such file or directory (shipped are kube-controller-manager, reference, toy)",
	} {
		t.Run(fmt.Sprintf("given as %s", given), func(t *testing.T) {
			_, err := Load(given, catalogue(t))
			NewWithT(t).Expect(err).To(MatchError(says))
		})
	}
}
