package spec

import (
	"context"
	"errors"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// What follows is done to the implementation under test, and takes a spec that is Alone.

// Kill ends the implementation with SIGKILL until Restart.
func (c *Case) Kill(ctx context.Context) {
	disturb(ctx, c, history.KillImplementation, implementation.Killer.Kill)
}

// Restart starts the implementation again and returns when it is ready. It then knows all that has happened.
func (c *Case) Restart(ctx context.Context) {
	c.note(ctx, history.RestartImplementation, "", (*own).restart)
}

// RestartWith is Restart with other arguments, environment or feature gates than the implementation file gives, until the next Restart. The end of the
// spec is one.
func (c *Case) RestartWith(ctx context.Context, change implementation.Change) {
	with := history.Stimulus{Act: history.RestartImplementation, Detail: "with " + change.String(), Gates: change.Gates}
	c.control(ctx, with, func(o *own, ctx context.Context) error { return o.restartWith(ctx, change) })
}

// Suspend stops the implementation where it is until Resume. While it lasts nothing else may be changed that forbids what the implementation may be about to do.
func (c *Case) Suspend(ctx context.Context) {
	disturb(ctx, c, history.SuspendImplementation, implementation.Suspender.Suspend)
}

// Resume lets a suspended implementation go on, and returns when it is ready.
func (c *Case) Resume(ctx context.Context) {
	restore(ctx, c, history.ResumeImplementation, implementation.Suspender.Resume)
}

// CutOff has nothing pass between the implementation and the API server until Reconnect.
func (c *Case) CutOff(ctx context.Context) {
	disturb(ctx, c, history.CutOffImplementation, implementation.Network.CutOff)
}

// Reconnect ends CutOff, and returns when the implementation is ready.
func (c *Case) Reconnect(ctx context.Context) {
	restore(ctx, c, history.ReconnectImplementation, implementation.Network.Reconnect)
}

// BreakWatches ends the implementation's watches, so that it has to list again. While it has not, it knows of nothing new: whatever else is changed then has
// to wait until it has acted again.
func (c *Case) BreakWatches(ctx context.Context) {
	disturb(ctx, c, history.BreakWatches, implementation.WatchBreaker.BreakWatches)
}

// DelayWatches has what the implementation's watches of these resources send reach it that much later, its own writes among it, until EndWatchDelay; without a
// resource those of all. Nothing is due meanwhile. While it lasts nothing else may be changed that forbids what the implementation may be about to do.
func (c *Case) DelayWatches(ctx context.Context, by time.Duration, resources ...string) {
	detail := by.String()
	if len(resources) > 0 {
		detail += ", of " + strings.Join(resources, " and ")
	}
	c.note(ctx, history.DelayWatches, detail, func(o *own, ctx context.Context) error {
		breaker, err := implementation.Find[implementation.WatchBreaker](ctx, o.running)
		if err != nil {
			return err
		}
		o.disturbed = true
		return breaker.DelayWatches(ctx, by, resources...)
	})
}

// EndWatchDelay ends DelayWatches.
func (c *Case) EndWatchDelay(ctx context.Context) {
	restore(ctx, c, history.EndWatchDelay, func(breaker implementation.WatchBreaker, ctx context.Context) error {
		return breaker.DelayWatches(ctx, 0)
	})
}

// RequireTold returns when one of the implementation's watches has delivered the object with the UID to it, in a later resourceVersion than after; an empty
// one is for any. The spec ends, as it does with Require, if none does.
func (c *Case) RequireTold(ctx context.Context, uid types.UID, after string) {
	const doing = "wait until the implementation has been told of an object"
	limited, cancel := context.WithTimeout(ctx, longestUntold)
	defer cancel()
	c.reach(doing, func(o *own) error {
		breaker, err := implementation.Find[implementation.WatchBreaker](ctx, o.running)
		if err == nil {
			err = breaker.AwaitTold(limited, uid, after)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			aborter{}.Fatalf("precondition not met: %s: %v", doing, err)
		}
		return err
	})
}

// longestUntold is more than anything takes to be delivered that nobody holds back for longer.
const longestUntold = 30 * time.Second

// Elect restarts the implementation as one of two replicas, and returns when one of them leads.
func (c *Case) Elect(ctx context.Context) {
	disturb(ctx, c, history.ElectLeader, implementation.Elector.Elect)
}

// KillLeader ends the replica that leads with SIGKILL, and returns when the other one leads. Another is started in the place of the first.
func (c *Case) KillLeader(ctx context.Context) {
	disturb(ctx, c, history.KillLeader, implementation.Elector.KillLeader)
}

// ImplementationMetrics returns what the implementation's metrics say now, in the text format of Prometheus.
func (c *Case) ImplementationMetrics(ctx context.Context) string {
	const doing = "read the implementation's metrics"
	var text string
	c.reach(doing, func(o *own) error {
		metered, err := implementation.Find[implementation.Metered](ctx, o.running)
		if err == nil {
			text, err = metered.Metrics(ctx)
		}
		return err
	})
	return text
}

// Crash kills the implementation where its kubelet starts it again at once, and returns when it is ready.
func (c *Case) Crash(ctx context.Context) {
	restore(ctx, c, history.CrashImplementation, implementation.Crasher.Crash)
}

// DeleteImplementationPod deletes the implementation's pod, which its Deployment replaces, and returns when the new one is ready.
func (c *Case) DeleteImplementationPod(ctx context.Context) {
	restore(ctx, c, history.DeleteImplementationPod, implementation.PodDeleter.DeletePod)
}

// HandBack ends the implementation and has kube-controller-manager do its work.
func (c *Case) HandBack(ctx context.Context) {
	c.replaces(history.HandBack)
	c.note(ctx, history.HandBack, "", (*own).handBack)
}

// TakeOver has the implementation do its work again, in the place of kube-controller-manager, and returns when it is ready. What is to happen while
// neither of them is at work can be given.
func (c *Case) TakeOver(ctx context.Context, meanwhile ...func()) {
	c.replaces(history.TakeOver)
	c.note(ctx, history.TakeOver, "", func(o *own, ctx context.Context) error { return o.takeOver(ctx, meanwhile...) })
}

// replaces ends a spec about taking over where the implementation replaces nothing.
func (c *Case) replaces(doing history.Act) {
	if c.own != nil && len(c.own.tested.Replaces) == 0 {
		aborter{}.Skipf("%s: the implementation replaces none of its controllers", doing)
	}
}

// disturb does what Restart, or restore, has to undo.
func disturb[C implementation.Capability](ctx context.Context, c *Case, doing history.Act, act func(C, context.Context) error) {
	c.note(ctx, doing, "", func(o *own, ctx context.Context) error {
		capability, err := implementation.Find[C](ctx, o.running)
		if err != nil {
			return err
		}
		o.disturbed = true
		return act(capability, ctx)
	})
}

// restore does what leaves the implementation at work.
func restore[C implementation.Capability](ctx context.Context, c *Case, doing history.Act, act func(C, context.Context) error) {
	disturb(ctx, c, doing, func(capability C, ctx context.Context) error {
		if err := act(capability, ctx); err != nil {
			return err
		}
		if err := c.own.running.AwaitReady(ctx); err != nil {
			return err
		}
		c.own.disturbed = false
		return nil
	})
}

// note is control of an act in words.
func (c *Case) note(ctx context.Context, doing history.Act, detail string, act func(*own, context.Context) error) {
	c.control(ctx, history.Stimulus{Act: doing, Detail: detail}, act)
}

// control records what is done to the implementation, and does it.
func (c *Case) control(ctx context.Context, stimulus history.Stimulus, act func(*own, context.Context) error) {
	c.reach(stimulus.Act, func(o *own) error {
		return c.Do(ctx, stimulus, func(ctx context.Context) error { return act(o, ctx) })
	})
}

// reach does what takes the implementation. The spec ends if it cannot be done.
func (c *Case) reach(doing history.Act, act func(*own) error) {
	if c.own == nil {
		aborter{}.Fatalf("harness: %s: others use it too, the spec must be spec.Alone", doing)
	}
	switch err := act(c.own); {
	case errors.Is(err, implementation.ErrLaunchedByOthers), errors.Is(err, errors.ErrUnsupported):
		aborter{}.Skipf("%s: %v", doing, err)
	case err != nil:
		aborter{}.Fatalf("harness: %s: %v", doing, err)
	}
}
