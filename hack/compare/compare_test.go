package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

const junit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="6" failures="2"><testsuite name="Kubernetes e2e suite" tests="6">
  <testcase name="[SynchronizedBeforeSuite]" classname="Kubernetes e2e suite" status="passed" time="0.5"></testcase>
  <testcase name="[It] [sig-apps] Daemon set [Serial] should surge" classname="Kubernetes e2e suite" status="timedout" time="240.5">
    <failure message="" type="timedout">A suite timeout occurred
at daemon_set.go:1</failure></testcase>
  <testcase name="[It] [sig-apps] Daemon set [Serial] should run [Conformance]" classname="Kubernetes e2e suite" status="passed" time="7"></testcase>
  <testcase name="[It] [sig-apps] Daemon set [Serial] should roll back" classname="Kubernetes e2e suite" status="failed" time="3">
    <failure message="" type="failed">unexpected pod be restarted
In [It] at: daemon_set.go:2</failure></testcase>
  <testcase name="[It] [sig-node] Pods should run" classname="Kubernetes e2e suite" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
</testsuite></testsuites>`

func TestTheTestsThatRanAreRead(t *testing.T) {
	got, err := readTests(written(t, junit))
	want := []test{
		{Name: "[sig-apps] Daemon set [Serial] should roll back", State: "failed", Seconds: 3, Says: "unexpected pod be restarted"},
		{Name: "[sig-apps] Daemon set [Serial] should run [Conformance]", State: "passed", Seconds: 7},
		{Name: "[sig-apps] Daemon set [Serial] should surge", State: "timedout", Seconds: 240.5, Says: "A suite timeout occurred"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestARunThatSaysNothingIsAnError(t *testing.T) {
	for name, row := range map[string]struct{ text, says string }{
		"the cluster was not ready": {
			`<testsuites><testsuite><testcase name="[SynchronizedBeforeSuite]" status="failed"><failure>nodes are not ready</failure></testcase></testsuite></testsuites>`,
			"[SynchronizedBeforeSuite]: nodes are not ready",
		},
		"nothing ran":  {`<testsuites><testsuite></testsuite></testsuites>`, "none of Kubernetes' tests ran"},
		"cut in half":  {`<testsuites><testsuite>`, "junit.xml: "},
		"no such file": {"", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "none")
			if row.text != "" {
				path = written(t, row.text)
			}
			if _, err := readTests(path); err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func written(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "junit.xml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// made are three runs of the tests of DaemonSets: one of kube-controller-manager, which failed "stalls" and "execs", and two of the reference, of which one
// failed "late", and both "execs".
func made() []run {
	pass := func(name string, seconds float64) test { return test{Name: name, State: "passed", Seconds: seconds} }
	fail := func(name string) test { return test{Name: name, State: "failed", Says: "no|reason"} }
	of := ofDaemonSets().name
	return []run{
		{Name: kubernetesOwn, Subject: of, Seconds: 60, Tests: []test{pass("rolls", 50), fail("stalls"), fail("execs"), pass("late", 2)}},
		{Name: kubernetesOwn, Subject: ofBudgets().name, Tests: []test{pass("evicts", 1)}},
		{Name: reference, Subject: of, Seconds: 70, Tests: []test{pass("rolls", 30), pass("stalls", 1), fail("execs"), pass("late", 2)}},
		{Name: reference, Subject: of, Seconds: 80, Tests: []test{pass("rolls", 20), pass("stalls", 1), fail("execs"), fail("late")}},
	}
}

func TestATestCountsIfTheReferencePassesItEachTime(t *testing.T) {
	b := baselineOf(made(), ofDaemonSets())
	if !slices.Equal(b.counts, []string{"rolls", "stalls"}) || b.longest["rolls"] != 30 {
		t.Errorf("counts %v, the longest %v", b.counts, b.longest)
	}
	if len(b.leftOut) != 1 || b.leftOut[0].Name != "execs" {
		t.Errorf("left out %v", b.leftOut)
	}
	if len(b.referenceFails) != 1 || b.referenceFails[0].Name != "late" || b.referenceFails[0].passed() {
		t.Errorf("the reference fails %v", b.referenceFails)
	}
	if len(b.ownFails) != 1 || b.ownFails[0].Name != "stalls" {
		t.Errorf("kube-controller-manager fails %v", b.ownFails)
	}
}

func TestAVariantIsCaughtByATestThatCounts(t *testing.T) {
	b := baselineOf(made(), ofDaemonSets())
	for name, row := range map[string]struct {
		test    test
		caught  bool
		decided bool
	}{
		"it passes":                          {test{Name: "rolls", State: "passed"}, false, true},
		"it fails":                           {test{Name: "rolls", State: "failed"}, true, true},
		"it panics":                          {test{Name: "rolls", State: "panicked"}, true, true},
		"it hung until the time was over":    {test{Name: "rolls", State: "timedout", Seconds: 151}, true, true},
		"the time was over while it ran":     {test{Name: "rolls", State: "timedout", Seconds: 149}, false, false},
		"one fails that is left out":         {test{Name: "late", State: "failed"}, false, true},
		"one hangs that kubelets would pass": {test{Name: "execs", State: "timedout", Seconds: 300}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			failed, decided := b.caught(run{Tests: []test{row.test}})
			if len(failed) > 0 != row.caught || decided != row.decided {
				t.Errorf("failed %v, decided %t", failed, decided)
			}
		})
	}
}

func TestWhatWasTriedIsNotTriedAgain(t *testing.T) {
	var got []string
	for _, r := range baselineRequests(made(), subjects(), 2) {
		got = append(got, r.name+" "+r.subject.name)
	}
	want := []string{
		"kube-controller-manager DaemonSets", "kube-controller-manager disruption budgets", "reference disruption budgets", "reference disruption budgets",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestASampleIsDrawnByItsSeedFromWhatKubernetesPromises(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := implementation.Load(kubernetesOwn, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	all := candidates(catalogue, baseline)
	named := func(name string) bool {
		return slices.ContainsFunc(all, func(v variant) bool { return v.name == name })
	}
	if len(all) < 100 || !named("deletes-first") {
		t.Errorf("%d candidates, deletes-first among them: %t", len(all), named("deletes-first"))
	}
	small, err := choose(all, nil, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	large, err := choose(all, nil, 40, 1)
	if err != nil || len(large) != 40 || !sameNames(small, large[:10]) {
		t.Errorf("of %d the first are %v, not %v (%v)", len(large), large[:10], small, err)
	}
	if other, err := choose(all, nil, 10, 2); err != nil || sameNames(small, other) {
		t.Errorf("another seed draws the same (%v)", err)
	}
	if _, err := choose(all, []string{"deletes-first", "no-such"}, 1, 1); err == nil || !strings.Contains(err.Error(), "no variant no-such") {
		t.Errorf("got %v", err)
	}
}

func sameNames(a, b []variant) bool {
	return slices.EqualFunc(a, b, func(a, b variant) bool { return a.name == b.name })
}

func TestTheTableHasTheSharesAndARowForEach(t *testing.T) {
	of := ofDaemonSets()
	chosen := []variant{{name: "stalls", says: "does a|b", breaks: []string{"SURGE-001"}, subject: of}, {name: "lags", subject: of}, {name: "new", subject: of}}
	runs := append(made(),
		run{Name: "stalls", Subject: of.name, Seconds: 100, Tests: []test{{Name: "rolls", State: "failed"}}},
		run{Name: "lags", Subject: of.name, Seconds: 50, Tests: []test{{Name: "rolls", State: "passed"}}})
	outcomes := []trial.Outcome{{Name: "stalls", Proven: true, Verdict: "killed", Seconds: 20}, {Name: "lags", Verdict: "SURVIVED (SURGE-001 pass)", Seconds: 30}}
	var out strings.Builder
	if err := writeTable(&out, assemble(chosen, runs, outcomes), 200); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"3 of 200 broken variants",
		"| DaemonSets | 2 | 1 (50 %) | 1 (50 %) | 75 s | 25 s |",
		"| DaemonSets | kube-controller-manager | 1 | 2 | 1 | 60 |",
		"| DaemonSets | reference | 2 | 2 | 2 | 70, 80 |",
		`| execs | no\|reason |`,
		"The reference fails late: no|reason",
		"kube-controller-manager fails stalls: no|reason",
		`| stalls | does a\|b | caught: rolls | 100 | caught: SURGE-001 | 20 |`,
		"| lags |  | not caught | 50 | not caught: SURVIVED (SURGE-001 pass) | 30 |",
		"| new |  | not tried |  | not tried |  |",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in\n%s", line, out.String())
		}
	}
}

func TestATestsNameIsShortWithoutItsTags(t *testing.T) {
	if got := short("[sig-apps] Daemon set [Serial] should run [Conformance]"); got != "Daemon set should run" {
		t.Errorf("got %q", got)
	}
	if got := exactly([]string{"a (b)"}); !slices.Equal(got, []string{`a \(b\)$`}) {
		t.Errorf("got %q", got)
	}
}
