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

// faults are carried out beside the play, which cannot be ended from there.
type faults struct {
	mu      sync.Mutex
	failure error
	ended   bool
	// killed are those that kill the implementation and have not started it again.
	killed sync.WaitGroup
}

func (f *faults) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure == nil {
		f.failure = err
	}
}

// killing reports whether the implementation may be killed: not once the play has ended. Whoever kills it says when it is started again.
func (f *faults) killing() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		f.killed.Add(1)
	}
	return !f.ended
}

// end waits until whoever was killed is started again, and has nobody killed any more. It returns the first failure.
func (f *faults) end() error {
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
	f.killed.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failure
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
		// What the implementation still does for the scenario before, if there was one here, meets none.
		all[i].Of.Namespaces = c.Namespaces()
		if all[i].Of.Resource == workload.DaemonSet().Resource {
			all[i].Of.Resource = c.own.tested.Workload.GroupResource().Resource
		}
		if effect := all[i].Effect; all[i].Met == nil {
			all[i].Met = func(asked relay.Request) func() {
				return c.met(ctx, history.Stimulus{Act: actOf(effect), Detail: fmt.Sprintf("%s: %s", asked, effect)}, nothingMore)
			}
		}
	}
	if err := faulter.SetFaults(ctx, all...); err != nil {
		aborter{}.Fatalf("harness: set faults: %v", err)
	}
}

// actOf is the act that a request meets an effect by.
func actOf(effect relay.Effect) history.Act {
	switch effect := effect.(type) {
	case relay.Refused:
		if effect.RetryAfter > 0 {
			return history.ThrottleRequest
		}
		return history.RefuseRequest
	case relay.NoStreamedLists:
		return history.RefuseRequest
	case relay.StaleList:
		return history.AnswerFromPast
	case relay.BrokenAnswer:
		return history.BreakAnswer
	}
	return history.LoseAnswer
}

func nothingMore(context.Context) error { return nil }

// met records that a request meets a fault, and returns what ends that; nil if it cannot be recorded, as after the scenario. The act comes to its end by finally.
func (c *Case) met(ctx context.Context, stimulus history.Stimulus, finally func(context.Context) error) func() {
	begun, over, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		err := c.Do(ctx, stimulus, func(ctx context.Context) error {
			close(begun)
			<-over
			return finally(ctx)
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

// KillAfter is the relay.Fault.Met of a request whose answer is lost since the implementation is killed as soon as the request is carried out. It is started
// again at once. lock is held meanwhile: a request that comes while somebody else holds it is spared.
func (c *Case) KillAfter(ctx context.Context, lock *sync.Mutex) func(relay.Request) func() {
	killer, err := implementation.Find[implementation.Killer](ctx, c.own.running)
	if err != nil {
		aborter{}.Skipf("%s: %v", history.KillImplementation, err)
	}
	return func(asked relay.Request) func() {
		if !lock.TryLock() {
			return nil
		}
		if !c.faults.killing() {
			lock.Unlock()
			return nil
		}
		back := func() {
			lock.Unlock()
			c.faults.killed.Done()
		}
		over := c.met(ctx, history.Stimulus{Act: history.KillImplementation, Detail: "after " + asked.String()}, killer.Kill)
		if over == nil {
			back()
			return nil
		}
		return func() {
			over()
			go func() {
				defer back()
				again := history.Stimulus{Act: history.RestartImplementation}
				if err := c.Do(ctx, again, func(ctx context.Context) error { return c.own.restart(ctx) }); err != nil {
					c.faults.fail(fmt.Errorf("%s: %w", again.Act, err))
				}
			}()
		}
	}
}
