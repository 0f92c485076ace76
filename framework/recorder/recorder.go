// Package recorder writes the linear history of a scenario as it happens: one watch per kind (and namespace), opened before the
// scenario's first object exists, every event on disk as one JSON line before anybody acts on it.
//
// It decides nothing. Package history says what a recording is, package judge what it means.
package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Options says what to record and where to.
type Options struct {
	// Sources to watch: see Cluster.
	Sources []Source
	// Path of the recording, created anew.
	Path string
	// Header of the recording; Start and Kinds are filled in.
	Header history.Header
}

// Recorder is a recording in progress.
type Recorder struct {
	stop    context.CancelFunc
	sources []Source
	running sync.WaitGroup

	mu      sync.Mutex
	file    *os.File
	writer  *history.Writer
	start   time.Time
	newest  uint64
	passed  map[string]uint64
	state   *history.Cluster
	changed chan struct{}
	failure error
}

// Start opens the recording and every watch. When it returns, no event from then on can be missed without a Gap saying so.
func Start(ctx context.Context, options Options) (_ *Recorder, err error) {
	file, err := os.Create(options.Path)
	if err != nil {
		return nil, fmt.Errorf("create recording: %w", err)
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &Recorder{
		stop: stop, sources: options.Sources, file: file, start: time.Now(),
		passed: map[string]uint64{}, state: history.NewCluster(), changed: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	header := options.Header
	header.Start = r.start
	known := map[history.Kind]bool{}
	for _, source := range options.Sources {
		if !known[source.Kind] {
			header.Kinds = append(header.Kinds, source.Kind)
		}
		known[source.Kind] = true
	}
	if r.writer, err = history.NewWriter(file, header); err != nil {
		return nil, err
	}
	for _, source := range options.Sources {
		version, err := r.list(ctx, source)
		if err != nil {
			return nil, err
		}
		events, err := source.watch(watching, version)
		if err != nil {
			return nil, fmt.Errorf("watch %s: %w", source.name(), err)
		}
		r.running.Go(func() { r.follow(watching, source, events) })
	}
	return r, nil
}

// Stimulus records what the harness is about to do. It is called before the act, so that everything the act causes comes later.
func (r *Recorder) Stimulus(stimulus history.Stimulus) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.append(history.Entry{ResourceVersion: r.newest, Stimulus: &stimulus})
}

// awaitInterval is how often Await looks again although nothing happened, since conditions may depend on the time.
const awaitInterval = 50 * time.Millisecond

// Await waits until the condition holds for the recorded state, looking again after every event and every 50 ms. The condition must not keep or change
// the state. The error is the context's cause, or what stopped the recording. Waiting is for stimuli to take effect: a verdict comes
// from the history.
func (r *Recorder) Await(ctx context.Context, condition func(*history.Cluster) bool) error {
	tick := time.NewTicker(awaitInterval)
	defer tick.Stop()
	for {
		r.mu.Lock()
		r.state.Time = time.Now()
		holds, changed, failure := condition(r.state), r.changed, r.failure
		r.mu.Unlock()
		if holds || failure != nil {
			return failure
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		case <-tick.C:
		}
	}
}

// Close ends the watches and the recording. What is on disk stays readable, now and after a crash.
func (r *Recorder) Close() error {
	r.stop()
	r.running.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return errors.Join(r.failure, err)
}

// append stamps the entry, writes it and brings the state up to date. The caller holds the lock.
func (r *Recorder) append(entry history.Entry) error {
	if r.failure != nil {
		return r.failure
	}
	if r.file == nil {
		return errors.New("the recording is closed")
	}
	now := time.Now()
	entry.Received, entry.Time = now.Sub(r.start), now
	if err := r.writer.Entry(entry); err != nil {
		r.failure = err
	} else if entry.Kind != history.KindEvent {
		r.newest = max(r.newest, entry.ResourceVersion)
		r.state.Apply(entry)
	}
	close(r.changed)
	r.changed = make(chan struct{})
	return r.failure
}
