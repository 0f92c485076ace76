package run

import (
	"context"
	"fmt"
	"sync"

	"github.com/rollcall-conformance/rollcall/reports"
)

// play has the specs run, and says how they get on.
func (r *suiteRun) play(ctx context.Context, session string) error {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	told := &progress{
		path: r.artifacts.progress(), total: len(r.selection.texts), verbose: r.options.verbose, out: r.out, stopAfter: r.options.stopAfter,
		events: r.events, ending: ctx.Done(),
		stop: func() {
			r.stopped = fmt.Sprintf("stopped after %d failed (-stop-after)", r.options.stopAfter)
			stop()
		},
	}
	r.say("%d of %d specs, %d at once", len(r.selection.texts), len(specTree()), r.options.procs)
	r.events.tell(reports.Event{Event: reports.EventRunBegan, Run: &reports.EventRun{
		Implementation: r.implementation.Name, Provider: r.place.Provider(), KubernetesVersion: r.kubernetesVersion,
		Seed: r.options.seed, Specs: len(r.selection.texts), Parallelism: r.options.procs,
	}})
	following, end := context.WithCancel(context.WithoutCancel(ctx))
	var group sync.WaitGroup
	group.Go(func() { told.follow(following) })
	err := r.startSpecs(playing, session)
	end()
	group.Wait()
	return err
}
