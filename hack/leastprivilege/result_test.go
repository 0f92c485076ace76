package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// log has what a client is refused as the reference logs it, and a refusal that RBAC has no part in.
const log = `E1120 reflector.go:204] "Failed to watch" err="failed to list *v1.Node: nodes is forbidden: User \"u\" cannot list resource \"nodes\" in API group \"\" at the cluster scope"
E1120 reflector.go:204] "Failed to watch" err="failed to list *v1.Node: nodes is forbidden: User \"u\" cannot list resource \"nodes\" in API group \"\" at the cluster scope"
E1120 controller.go:497] "Reconciler error" err="pods \"p\" is forbidden: User \"u\" cannot patch resource \"pods\" in API group \"\" in the namespace \"n\""
E1120 controller.go:497] "Reconciler error" err="x \"y\" is forbidden: User \"u\" cannot get resource \"nodes/scale\" in API group \"\" at the cluster scope"
error retrieving resource lock: User "u" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "system"
E1120 controller.go:497] "Reconciler error" err="pods \"p\" is forbidden: exceeded quota: no-pods, requested: pods=1"
`

const finalizersLog = `err="pods \"p\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"`

func TestARefusalIsLaidToThePermissionThatLacks(t *testing.T) {
	for name, row := range map[string]struct {
		log  string
		p    permission
		want bool
	}{
		"of the cluster":             {log, permission{verb: "list", resource: "nodes"}, true},
		"in a namespace":             {log, permission{verb: "patch", resource: "pods"}, true},
		"of a Role":                  {log, permission{namespace: "system", verb: "get", group: "coordination.k8s.io", resource: "leases"}, true},
		"of a Role in another":       {log, permission{namespace: "other", verb: "get", group: "coordination.k8s.io", resource: "leases"}, false},
		"of another verb":            {log, permission{verb: "watch", resource: "nodes"}, false},
		"of another resource":        {log, permission{verb: "list", resource: "node"}, false},
		"of another group":           {log, permission{verb: "get", resource: "leases"}, false},
		"of a subresource of any":    {log, permission{verb: "get", group: "*", resource: "*/scale"}, true},
		"of another subresource":     {log, permission{verb: "get", group: "*", resource: "*/status"}, false},
		"by a quota":                 {log, permission{verb: "create", resource: "pods"}, false},
		"of an owner's finalizers":   {finalizersLog, permission{verb: "update", group: "apps", resource: "daemonsets/finalizers"}, true},
		"of what is not finalizers'": {finalizersLog, permission{verb: "update", group: "apps", resource: "daemonsets"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := slices.ContainsFunc(refusals(row.log), row.p.explains); got != row.want {
				t.Errorf("explained: %t, want %t, by %q", got, row.want, refusals(row.log))
			}
		})
	}
	if got := refusals(log); len(got) != 4 {
		t.Errorf("got %d refusals, want each once: %q", len(got), got)
	}
}

func TestOnlyAPermissionThatIsMissedIsNeeded(t *testing.T) {
	p := permission{kind: "ClusterRole", verb: "list", resource: "nodes"}
	refused := result{p, outcome{refusals: refusals(log), missed: []string{"API-020 fail"}, took: time.Second}}
	logged := result{p, outcome{refusals: refusals(log)}}
	failed := result{p, outcome{missed: []string{"API-020 inconclusive"}, artifacts: "_artifacts/01"}}
	unnoticed := result{p, outcome{}}
	notTried := result{p, outcome{failure: errors.New("no report")}}
	for _, row := range []struct {
		results []result
		code    int
		says    string
	}{
		{[]result{refused}, trial.ExitProven, "ClusterRole list core nodes  1        API-020 fail"},
		{[]result{refused, logged}, trial.ExitProven, "2 of 2 permissions needed"},
		{[]result{logged}, trial.ExitProven, "the log alone"},
		{[]result{refused, failed}, trial.ExitNotProven, "nothing was refused for want of it: API-020 inconclusive\n  _artifacts/01"},
		{[]result{unnoticed}, trial.ExitNotProven, "UNNEEDED"},
		{[]result{refused, notTried}, trial.ExitNotTried, "ClusterRole list core nodes: no report"},
		{[]result{unnoticed, notTried}, trial.ExitNotProven, "0 of 2 permissions needed"},
	} {
		var table strings.Builder
		if err := writeTable(&table, row.results); err != nil {
			t.Fatal(err)
		}
		if code := exitCode(row.results); code != row.code || !strings.Contains(table.String(), row.says) {
			t.Errorf("exit code %d, want %d and %q in\n%s", code, row.code, row.says, table.String())
		}
	}
}

func TestWhatIsMissedIsWhatDidNotPass(t *testing.T) {
	ids := exercise()
	report := &reports.ConformanceReport{}
	for _, id := range ids[1:] {
		report.Requirements = append(report.Requirements, reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: reports.Pass})
	}
	report.Requirements = append(report.Requirements,
		reports.RequirementResult{Requirement: reports.Requirement{ID: ids[0]}, Verdict: reports.Inconclusive},
		reports.RequirementResult{Requirement: reports.Requirement{ID: "X-001"}, Verdict: reports.Fail})
	if got, want := missed(report, ids), []string{string(ids[0]) + " inconclusive"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	report.Provenance.HarnessFailure = "reference is not ready\nits log"
	if got, want := missed(report, ids), []string{"reference is not ready"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
