package spec

import (
	"context"
	"errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// What follows is done to the implementation under test, and takes a spec that is Alone.

// Kill ends the implementation with SIGKILL until Restart.
func (c *Case) Kill(ctx context.Context) {
	c.disturb(ctx, history.KillImplementation, (*implementation.Running).Kill)
}

// Restart starts the implementation again and returns when it is ready. It then knows all that has happened.
func (c *Case) Restart(ctx context.Context) {
	c.mend(ctx, history.RestartImplementation, (*implementation.Running).Restart)
}

// Suspend stops the implementation in its tracks until Resume.
func (c *Case) Suspend(ctx context.Context) {
	c.disturb(ctx, history.SuspendImplementation, (*implementation.Running).Suspend)
}

// Resume lets a suspended implementation go on, and returns when it is ready.
func (c *Case) Resume(ctx context.Context) {
	c.mend(ctx, history.ResumeImplementation, (*implementation.Running).Resume)
}

// CutOff has nothing pass between the implementation and the API server until Reconnect.
func (c *Case) CutOff(ctx context.Context) {
	c.disturb(ctx, history.CutOffImplementation, (*implementation.Running).CutOff)
}

// Reconnect ends CutOff, and returns when the implementation is ready.
func (c *Case) Reconnect(ctx context.Context) {
	c.mend(ctx, history.ReconnectImplementation, (*implementation.Running).Reconnect)
}

// Crash kills the implementation where its kubelet starts it again at once, and returns when it is ready.
func (c *Case) Crash(ctx context.Context) {
	c.mend(ctx, history.CrashImplementation, (*implementation.Running).Crash)
}

// DeleteImplementationPod deletes the implementation's pod, which its Deployment replaces, and returns when the new one is ready.
func (c *Case) DeleteImplementationPod(ctx context.Context) {
	c.mend(ctx, history.DeleteImplementationPod, (*implementation.Running).DeletePod)
}

// HandBack ends the implementation and has kube-controller-manager do its work.
func (c *Case) HandBack(ctx context.Context) {
	c.replaces(history.HandBack)
	c.note(ctx, history.HandBack, (*own).handBack)
}

// TakeOver has the implementation do its work again, in the place of kube-controller-manager, and returns when it is ready. What is to happen while
// neither of them is at work can be given.
func (c *Case) TakeOver(ctx context.Context, meanwhile ...func()) {
	c.replaces(history.TakeOver)
	c.note(ctx, history.TakeOver, func(o *own, ctx context.Context) error { return o.takeOver(ctx, meanwhile...) })
}

// replaces ends a spec about taking over where the implementation replaces nothing.
func (c *Case) replaces(doing history.Act) {
	if c.own != nil && len(c.own.tested.Replaces) == 0 {
		aborter{}.Skipf("%s: the implementation replaces none of its controllers", doing)
	}
}

func (c *Case) disturb(ctx context.Context, doing history.Act, act func(*implementation.Running, context.Context) error) {
	c.note(ctx, doing, func(o *own, ctx context.Context) error {
		o.disturbed = true
		return act(o.running, ctx)
	})
}

func (c *Case) mend(ctx context.Context, doing history.Act, act func(*implementation.Running, context.Context) error) {
	c.note(ctx, doing, func(o *own, ctx context.Context) error {
		o.disturbed = true
		if err := act(o.running, ctx); err != nil {
			return err
		}
		o.disturbed = false
		return o.running.AwaitReady(ctx)
	})
}

// note records what is done to the implementation, and does it.
func (c *Case) note(ctx context.Context, doing history.Act, act func(*own, context.Context) error) {
	if c.own == nil {
		aborter{}.Fatalf("harness: %s: others use it too, the spec must be spec.Alone", doing)
	}
	err := c.Do(ctx, history.Stimulus{Act: doing}, func(ctx context.Context) error { return act(c.own, ctx) })
	switch {
	case errors.Is(err, implementation.ErrLaunchedByOthers), errors.Is(err, errors.ErrUnsupported):
		aborter{}.Skipf("%s: %v", doing, err)
	case err != nil:
		aborter{}.Fatalf("harness: %s: %v", doing, err)
	}
}
