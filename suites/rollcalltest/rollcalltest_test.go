package rollcalltest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
)

func TestTheImplementationFileNamesTheTestAlone(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Features: []requirements.Feature{requirements.DaemonSet}, Replaces: []string{"daemonset-controller"}, User: "somebody"}.withDefaults()
	file, err := options.writeImplementation(t.TempDir(), "TestOne/of_(two)")
	if err != nil {
		t.Fatal(err)
	}
	read, err := implementation.Load(file, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process := read.Launch.Process
	if process.Executable != self || !slices.Contains(process.Args, `-test.run=^TestOne$/^of_\(two\)$`) || process.User.Name != "somebody" || read.Name != "controller" {
		t.Errorf("got %+v of %+v", process, read)
	}
}

func TestAReportOfAnEarlierRunIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), reports.YAMLFile)
	if _, err := readReport(path, time.Now()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("want an error for a missing report, got %v", err)
	}
	began := time.Now().UTC().Truncate(time.Second)
	report := passing(reports.Provenance{Started: began})
	if err := formats.WriteFiles(filepath.Dir(path), report); err != nil {
		t.Fatal(err)
	}
	if read, err := readReport(path, began); err != nil || read == nil {
		t.Errorf("want the report, got %v", err)
	}
	if read, err := readReport(path, began.Add(time.Second)); read != nil || err == nil || !strings.Contains(err.Error(), "earlier run") {
		t.Errorf("want an error for the report of an earlier run, got %v", err)
	}
}

// passing is a report of one requirement, which passed.
func passing(provenance reports.Provenance) *reports.ConformanceReport {
	return &reports.ConformanceReport{
		APIVersion: reports.APIVersion, Kind: reports.Kind, Provenance: provenance, Statistics: reports.Statistics{Passed: 1},
		Requirements: []reports.RequirementResult{{Requirement: reports.Requirement{ID: "SURGE-001"}, Verdict: reports.Pass}},
	}
}

// told is a test that notes what becomes of it.
type told struct {
	testing.TB
	failed, skipped string
}

func (t *told) Helper()                          {}
func (t *told) Error(args ...any)                { t.failed = fmt.Sprint(args...) }
func (t *told) Errorf(format string, a ...any)   { t.failed = fmt.Sprintf(format, a...) }
func (t *told) Skipf(format string, args ...any) { t.skipped = fmt.Sprintf(format, args...) }

func TestEveryVerdictIsASubtests(t *testing.T) {
	byKubernetes := reports.Requirement{ID: "EVICT-001", Kubernetes: reports.Kubernetes{By: reports.APIServer, Behaviour: reports.Differs}}
	for name, row := range map[string]struct {
		result          reports.RequirementResult
		failed, skipped string
	}{
		"broken by Kubernetes itself": {reports.RequirementResult{Requirement: byKubernetes, Verdict: reports.Fail, Reason: "refused"}, "", "refused"},
		"pass":                        {reports.RequirementResult{Verdict: reports.Pass}, "", ""},
		"fail":                        {reports.RequirementResult{Verdict: reports.Fail, Reason: "too many pods"}, "too many pods", ""},
		"inconclusive":                {reports.RequirementResult{Verdict: reports.Inconclusive, Reason: "it was cut short"}, "it was cut short", ""},
		"unsupported":                 {reports.RequirementResult{Verdict: reports.Unsupported, Reason: "does not claim Surge"}, "", "does not claim Surge"},
		"not run":                     {reports.RequirementResult{Verdict: reports.NotRun, Reason: "not selected"}, "", "not selected"},
	} {
		t.Run(name, func(t *testing.T) {
			got := &told{}
			tell(got, row.result, "_artifacts")
			if !strings.Contains(got.failed, row.failed) || !strings.Contains(got.skipped, row.skipped) || (got.failed == "") != (row.failed == "") || (got.skipped == "") != (row.skipped == "") {
				t.Errorf("want failure %q and skip %q, got %q and %q", row.failed, row.skipped, got.failed, got.skipped)
			}
		})
	}
}

func TestAControllerIsReadyOnceItSaysSo(t *testing.T) {
	var ready atomic.Bool
	answer := func() int {
		recorded := httptest.NewRecorder()
		readiness(&ready).ServeHTTP(recorded, httptest.NewRequest(http.MethodGet, readyPath, nil))
		return recorded.Code
	}
	if code := answer(); code != http.StatusServiceUnavailable {
		t.Errorf("want 503 before, got %d", code)
	}
	ready.Store(true)
	if code := answer(); code != http.StatusOK {
		t.Errorf("want 200 after, got %d", code)
	}
}

func TestAControllerThatReturnsByItselfHasFailed(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := "apiVersion: v1\nkind: Config\nclusters: [{name: x, cluster: {server: 'http://127.0.0.1:1'}}]\ncontexts: [{name: x, context: {cluster: x}}]\ncurrent-context: x\n"
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	p := &controllerProcess{kubeconfig: kubeconfig, address: "127.0.0.1:0", folder: t.TempDir()}
	for name, row := range map[string]struct {
		ended    bool
		returned error
		want     string
	}{
		"asked to end":      {true, context.Canceled, ""},
		"returned early":    {false, nil, "before its context ended"},
		"failed":            {false, errors.New("no cluster"), "no cluster"},
		"failed at its end": {true, errors.New("lost the lease"), "lost the lease"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := p.serve(ctx, func(_ context.Context, config *rest.Config, _ func()) error {
				if config.QPS >= 0 {
					t.Errorf("want no limit on requests, got %v", config.QPS)
				}
				if row.ended {
					cancel()
				}
				return row.returned
			})
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("want an error with %q, got %v", row.want, err)
			}
		})
	}
}

func TestATestWithoutTimeSaysSo(t *testing.T) {
	if problem := noTime(20 * time.Second); !strings.Contains(problem, "in 20s") || !strings.Contains(problem, "-timeout=30m") {
		t.Errorf("got %q", problem)
	}
	if problem := noTime(10 * time.Minute); problem != "" {
		t.Errorf("go test's own default is refused: %s", problem)
	}
}
