package implementation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/relay"
)

// ErrLaunchedByOthers is why nothing can be done to an implementation that rollcall did not start.
var ErrLaunchedByOthers = errors.New("the implementation was not launched by rollcall")

// unavailable is why a capability, or a part of it, is not available; it is errors.ErrUnsupported.
type unavailable struct{ why string }

func unavailablef(format string, args ...any) error { return unavailable{fmt.Sprintf(format, args...)} }

func (u unavailable) Error() string        { return u.why }
func (u unavailable) Is(target error) bool { return target == errors.ErrUnsupported }

// Capability is something that can be done to a running implementation. Those that there are are the interfaces of this file.
type Capability interface {
	// Available returns nil if it can be done now, and otherwise why not, in words that fit a report. Such an error is ErrLaunchedByOthers or
	// errors.ErrUnsupported; any other says that this cannot be found out.
	Available(ctx context.Context) error
}

// Find returns the capability of the implementation that the type names, as in Find[Killer](ctx, running), or what Capability.Available says.
func Find[C Capability](ctx context.Context, running *Running) (C, error) {
	var none C
	for _, candidate := range running.capabilities {
		if found, ok := candidate.(C); ok {
			if err := found.Available(ctx); err != nil {
				return none, err
			}
			return found, nil
		}
	}
	return none, running.without
}

// Restarter ends an implementation in its own way, and starts it.
type Restarter interface {
	Capability
	// Restart ends the implementation if it still runs, starts it as its file says and returns when it is ready. Nothing is left of what the other
	// capabilities did. If the implementation had ended without being asked to, it is restarted all the same, and the error says so: what else is
	// done to such an implementation would cover that up, and is refused.
	Restart(ctx context.Context) error
	// StandDown ends the implementation in its own way, and leaves it installed: Restart brings it back.
	StandDown(ctx context.Context) error
}

// Reconfigurer starts an implementation otherwise than its file says.
type Reconfigurer interface {
	Capability
	// RestartWith is Restart with a change of what the file says: it does not add to a change that was made before. Where the change cannot be made the
	// error is errors.ErrUnsupported and nothing was done. If the implementation does not become ready with the change, it is down after the error.
	RestartWith(ctx context.Context, change Change) error
}

// Killer ends an implementation without a warning.
type Killer interface {
	Capability
	// Kill ends the implementation with SIGKILL, for good: Restarter brings it back.
	Kill(ctx context.Context) error
}

// Suspender makes an implementation hang.
type Suspender interface {
	Capability
	// Suspend stops the implementation where it is, as a stalled machine would.
	Suspend(ctx context.Context) error
	// Resume continues a suspended implementation. One that lost its leadership meanwhile may then end by itself and be started again: AwaitReady.
	Resume(ctx context.Context) error
}

// Crasher ends an implementation where somebody else starts it again.
type Crasher interface {
	Capability
	// Crash kills the processes in the implementation's containers and returns when the kubelet has noticed, which starts them again: AwaitReady.
	Crash(ctx context.Context) error
}

// PodDeleter deletes the pods that an implementation runs in.
type PodDeleter interface {
	Capability
	// DeletePod deletes the implementation's pods as a user would and returns when they are gone; others replace them: AwaitReady.
	DeletePod(ctx context.Context) error
}

// Network separates an implementation from the API server.
type Network interface {
	Capability
	// CutOff drops all that the implementation and the API server send each other, on connections old and new. Pods that come later are not cut off.
	CutOff(ctx context.Context) error
	// Reconnect ends CutOff. What was said under Suspender.Resume goes for it too.
	Reconnect(ctx context.Context) error
}

// WatchBreaker disturbs what an implementation watches.
type WatchBreaker interface {
	Capability
	// BreakWatches ends the implementation's watches, and answers the next attempt to go on with each by 410 Gone.
	BreakWatches(ctx context.Context) error
	// DelayWatches has what the implementation's watches of these resources send reach it that much later, in its order; without a resource those of all. 0 is
	// no delay. Its own writes it sees late, too.
	DelayWatches(ctx context.Context, by time.Duration, resources ...string) error
	// AwaitTold returns once one of the implementation's watches has delivered the object with the UID to it, in a later resourceVersion than after, or with the
	// context's error. An empty after is for any version.
	AwaitTold(ctx context.Context, uid types.UID, after string) error
}

// Faulter has single requests of an implementation fail.
type Faulter interface {
	Capability
	// SetFaults has requests of the implementation meet these faults from now on, and none that were set before. They outlast its process.
	SetFaults(ctx context.Context, faults ...relay.Fault) error
}

// Metered is an implementation whose metrics can be read.
type Metered interface {
	Capability
	// Metrics returns what the implementation says of itself now, in the text format of Prometheus.
	Metrics(ctx context.Context) (string, error)
}

// Elector has two replicas of an implementation elect which of them works.
type Elector interface {
	Capability
	// Elect restarts the implementation as one of two replicas, and returns when one of them leads and the other has been started. Restarter ends that.
	Elect(ctx context.Context) error
	// KillLeader ends the replica that leads with SIGKILL and returns when the other one leads, and another has been started in the place of the first.
	KillLeader(ctx context.Context) error
}
