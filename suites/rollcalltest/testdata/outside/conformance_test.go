// Package outside is a module of somebody else's, with a controller as a Go function. Its go.mod is written where it is tested.
package outside

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset"
	"github.com/rollcall-conformance/rollcall/suites/rollcalltest"
)

func TestConformance(t *testing.T) {
	rollcalltest.Run(t, rollcalltest.Options{
		Controller: func(ctx context.Context, config *rest.Config, ready func()) error {
			return control(ctx, config, ready, daemonset.Options{})
		},
		Features: []requirements.Feature{requirements.DaemonSet, requirements.Surge},
		Replaces: []string{"daemonset-controller"},
		// The second kills the controller.
		Focus: []string{"SURGE-007", "RECOVERY-001"},
	})
}

// TestWithoutSurge has the controller claim what it does not do.
func TestWithoutSurge(t *testing.T) {
	rollcalltest.Run(t, rollcalltest.Options{
		Controller: func(ctx context.Context, config *rest.Config, ready func()) error {
			return control(ctx, config, ready, daemonset.Options{SurgeDisabled: true})
		},
		Name:     "without-surge",
		Features: []requirements.Feature{requirements.DaemonSet, requirements.Surge},
		Replaces: []string{"daemonset-controller"},
		Focus:    []string{"SURGE-007"},
	})
}

// control runs a DaemonSet controller.
func control(ctx context.Context, config *rest.Config, ready func(), options daemonset.Options) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	if err := daemonset.SetupWithManager(ctx, manager, options); err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		if manager.GetCache().WaitForCacheSync(ctx) {
			ready()
		}
	}()
	return manager.Start(ctx)
}
