// Package rollcalltest runs the suites from a Go test, against a controller that is a Go function:
//
//	func TestConformance(t *testing.T) {
//		rollcalltest.Run(t, rollcalltest.Options{
//			Controller: runMyController,
//			Features:   []requirements.Feature{requirements.DaemonSet, requirements.Surge},
//			Replaces:   []string{"daemonset-controller"},
//		})
//	}
//
// It is `rollcall run` on an embedded control plane, with an implementation file that names the test's own program. The function runs in a process of
// its own, so that specs can kill, suspend and restart it.
package rollcalltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Options say what is tested, and with which specs.
type Options struct {
	// Controller runs the controller until the context ends, and returns then. It calls ready once the controller works: what is late from then on is held
	// against it. The config is of User, without a limit on requests by the client. Required.
	Controller func(ctx context.Context, config *rest.Config, ready func()) error
	// Name identifies the controller in the report: lower-case letters, digits and dashes. Default: "controller".
	Name string
	// Features are what the controller claims, at least one. Requirements of others are skipped.
	Features []requirements.Feature
	// Replaces are the controllers of kube-controller-manager that are switched off, such as "daemonset-controller". Default: none.
	Replaces []string
	// User and Groups are whom the controller authenticates as. Default: its name, in group system:masters, whom RBAC never stops.
	User   string
	Groups []string
	// Manifests are files that an administrator applies before the controller starts: its RBAC and definitions. Default: none.
	Manifests []string
	// Focus selects specs by what they decide ("SURGE-007", "SURGE") or by a regular expression that their text matches. Default: all specs.
	Focus []string
	// KubernetesVersion is that of the control plane, such as "1.36.3". Default: the newest one that rollcall knows.
	KubernetesVersion string
	// Artifacts is the folder for the report, recordings and logs. Default: "_artifacts" in the test's folder.
	Artifacts string
}

// endGrace is how long before the test's deadline the run is interrupted, so that it can still end its processes and write its report.
const endGrace = 30 * time.Second

// Run runs the suites and reports each requirement as a subtest: one that failed or could not be decided fails, one that was not run is skipped, with
// the reason. It fails the test as well if the run as a whole is no success, though no requirement says why.
//
// The test's program is started again with -test.run set to this very test, which must therefore reach Run each time; there Run runs Options.Controller, in the
// test's folder, and does not return.
func Run(t *testing.T, options Options) {
	t.Helper()
	if controller := controllerFromEnvironment(); controller != nil {
		os.Exit(controller.run(options.Controller))
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if deadline, ok := t.Deadline(); ok {
		if problem := noTime(time.Until(deadline)); problem != "" {
			t.Fatal(problem)
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-endGrace))
		defer cancel()
	}
	options = options.withDefaults()
	report, failure := options.run(ctx, t)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("rollcall: the run was interrupted %s before the deadline of go test: give it more time, such as -timeout=30m", endGrace)
	}
	if report == nil {
		t.Fatalf("rollcall: %v", failure)
	}
	for _, result := range report.Requirements {
		t.Run(string(result.ID), func(t *testing.T) { tell(t, result, options.Artifacts) })
	}
	if failure != nil {
		t.Errorf("rollcall: %v; its output is above", failure)
	}
}

// noTime says that what is left until the deadline of go test is too short to begin; empty if it is not.
func noTime(left time.Duration) string {
	if left > endGrace {
		return ""
	}
	return fmt.Sprintf("rollcall: go test ends this test in %s, and the run would be interrupted %s before that: give it more time, such as -timeout=30m",
		left.Round(time.Second), endGrace)
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "controller"
	}
	if o.Artifacts == "" {
		o.Artifacts = "_artifacts"
	}
	return o
}
