package spec

import (
	"context"
	"fmt"
	"sync"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// faults notes what went wrong with faults that requests met: they are carried out beside the play, which cannot be ended from there.
type faults struct {
	mu      sync.Mutex
	failure error
}

func (f *faults) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure == nil {
		f.failure = err
	}
}

// check ends the scenario if a fault failed.
func (f *faults) check() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure != nil {
		aborter{}.Fatalf("harness: %v", f.failure)
	}
}

// SetFaults has requests of the implementation meet these faults from now on, and none that were set before. A request that meets one is an act: its beginning
// comes before anything that the request causes, its end when the implementation may know. Until then nothing is due from it. DaemonSets are the implementation's
// workload, as everywhere.
func (c *Case) SetFaults(ctx context.Context, all ...relay.Fault) {
	faulter, err := implementation.Find[implementation.Faulter](ctx, c.own.running)
	if err != nil {
		aborter{}.Skipf("set faults: %v", err)
	}
	for i := range all {
		if all[i].Of.Resource == workload.DaemonSet().Resource {
			all[i].Of.Resource = c.own.tested.Workload.GroupResource().Resource
		}
		effect := all[i].Effect
		all[i].Met = func(asked relay.Request) func() {
			return c.met(ctx, history.Stimulus{Act: actOf(effect), Detail: fmt.Sprintf("%s: %s", asked, effect)})
		}
	}
	if err := faulter.SetFaults(ctx, all...); err != nil {
		aborter{}.Fatalf("harness: set faults: %v", err)
	}
}

// actOf is the act that a request meets an effect by.
func actOf(effect relay.Effect) history.Act {
	if refused, is := effect.(relay.Refused); is {
		if refused.RetryAfter > 0 {
			return history.ThrottleRequest
		}
		return history.RefuseRequest
	}
	return history.LoseAnswer
}

// met records that a request meets a fault, and returns what ends that; nil if it cannot be recorded, as after the scenario.
func (c *Case) met(ctx context.Context, stimulus history.Stimulus) func() {
	begun, over, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		err := c.Do(ctx, stimulus, func(context.Context) error {
			close(begun)
			<-over
			return nil
		})
		if err != nil {
			c.faults.fail(fmt.Errorf("%s: %w", stimulus.Act, err))
		}
	}()
	select {
	case <-begun:
		return func() {
			close(over)
			<-ended
		}
	case <-ended:
		return nil
	}
}
