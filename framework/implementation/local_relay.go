package implementation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/relay"
)

// relayed is a local process that reaches the API server through a relay.
type relayed struct{ *local }

// startRelay puts a relay between the process and the API server: from now on the process's kubeconfig is the relay's.
func (l *local) startRelay() error {
	config, err := clientcmd.BuildConfigFromFlags("", l.kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	if l.relay, err = relay.Start(config); err != nil {
		return err
	}
	content, err := l.relay.Kubeconfig()
	if err != nil {
		return fmt.Errorf("write the kubeconfig of the relay: %w", err)
	}
	l.kubeconfig = filepath.Join(l.options.RunDir, "relay.kubeconfig")
	return os.WriteFile(l.kubeconfig, content, 0o600)
}

func (l *local) closeRelay() error {
	if l.relay == nil {
		return nil
	}
	return l.relay.Close()
}

// CutOff implements Network.
func (l relayed) CutOff(context.Context) error {
	if err := l.undisturbed("cutting off"); err != nil {
		return err
	}
	l.relay.CutOff()
	return nil
}

// Reconnect implements Network.
func (l relayed) Reconnect(context.Context) error {
	l.relay.Reconnect()
	return nil
}

// BreakWatches implements WatchBreaker.
func (l relayed) BreakWatches(context.Context) error {
	if err := l.undisturbed("breaking the watches of"); err != nil {
		return err
	}
	if l.relay.BreakWatches() == 0 {
		return fmt.Errorf("breaking the watches of %s: it watches nothing", l.process.Name())
	}
	return nil
}

// DelayWatches implements WatchBreaker.
func (l relayed) DelayWatches(_ context.Context, by time.Duration, resources ...string) error {
	if err := l.undisturbed("delaying the watches of"); err != nil {
		return err
	}
	l.relay.DelayWatches(by, resources...)
	return nil
}

// AwaitTold implements WatchBreaker.
func (l relayed) AwaitTold(ctx context.Context, uid types.UID, after string) error {
	return l.relay.AwaitTold(ctx, uid, after)
}

// SetFaults implements Faulter.
func (l relayed) SetFaults(_ context.Context, faults ...relay.Fault) error {
	if err := l.undisturbed("setting faults for"); err != nil {
		return err
	}
	l.relay.SetFaults(faults...)
	return nil
}
