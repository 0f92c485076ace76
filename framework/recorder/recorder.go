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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
)

// ErrEnded is wrapped by the errors of a Recorder whose recording was closed or proven complete: nothing can be added to it.
var ErrEnded = errors.New("the recording has ended")

// Options says what to record and where to.
type Options struct {
	// Sources to watch: see Cluster.
	Sources []Source
	// Path of the recording, created anew.
	Path string
	// Header of the recording; Start and Kinds are filled in.
	Header history.Header
	// Pulse of the cluster. Default: standstills of the API server are not noticed.
	Pulse *pulse.Pulse
	// Seal writes the last line once the recording is proven complete and closed: nothing is to be added to it.
	Seal bool
	// Ahead is how far the clock of the cluster is ahead of this machine's, by which events are timed.
	Ahead time.Duration
	// Clock of this machine; default the system's.
	Clock clock.PassiveClock
	// OnEntry is called with every entry that is recorded, and OnGap with every gap, one at a time. Neither may call the Recorder, nor change what it gets.
	OnEntry func(history.Entry)
	OnGap   func(history.Gap)
	// OnStandstill is called likewise with those of the Pulse that concern the recording.
	OnStandstill func(history.Standstill)
}

// Recorder is a recording in progress. Its methods may be called from several goroutines.
type Recorder struct {
	stop     context.CancelFunc
	streams  []*stream
	running  sync.WaitGroup
	pulse    *pulse.Pulse
	unfollow func()
	seal     bool
	onEntry  func(history.Entry)
	onGap    func(history.Gap)
	// onStandstill: see Options.
	onStandstill func(history.Standstill)

	mu     sync.Mutex
	file   *os.File
	writer *history.Writer
	clock  clock.PassiveClock
	start  time.Time
	began  time.Time
	// latest is the longest that the recording has taken so far.
	latest  time.Duration
	newest  uint64
	state   *history.Cluster
	changed chan struct{}
	failure error
	ended   bool
	// stimuli counts those recorded.
	stimuli int
	// standstills counts those of the pulse that are recorded, or were over before.
	standstills int

	// horizon is where the recording will end if the proof under way succeeds; 0 when there is none. Events beyond it wait in held.
	horizon uint64
	held    []history.Entry
	// proven is where it was last proven complete.
	proven uint64
}

// Start opens the recording and every watch. When it returns, no event from then on can be missed without a Gap saying so. The context
// bounds the start only.
func Start(ctx context.Context, options Options) (_ *Recorder, err error) {
	file, err := os.Create(options.Path)
	if err != nil {
		return nil, fmt.Errorf("create recording: %w", err)
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	began := wall(options.Clock)
	r := &Recorder{
		stop: stop, file: file, clock: options.Clock, start: began.Add(options.Ahead), began: began, state: history.NewCluster(options.Header.RevisionLabel), changed: make(chan struct{}),
		pulse: options.Pulse, unfollow: func() {}, onEntry: options.OnEntry, onGap: options.OnGap,
		onStandstill: options.OnStandstill, seal: options.Seal,
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	// The watches outlive the context, but not if it ends while they are being opened.
	defer context.AfterFunc(ctx, stop)()
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
	r.unfollow = r.pulse.Follow(r.answeredAgain)
	for _, source := range options.Sources {
		s := newStream(source)
		r.streams = append(r.streams, s)
		objects, listed, err := s.list(ctx)
		if err != nil {
			return nil, err
		}
		if err := r.recordState(s, objects, listed); err != nil {
			return nil, err
		}
		watcher, err := s.watch(watching, listed, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		r.running.Go(func() { r.follow(watching, s, watcher) })
	}
	// Those of before, from which not everybody may have recovered.
	r.answeredAgain()
	return r, nil
}

// appendNow appends what is no watch event behind all that has been received.
func (r *Recorder) appendNow(entry history.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry.ResourceVersion = r.newest
	r.stamp(&entry)
	return r.append(entry)
}

// awaitInterval is how often Await looks again although nothing happened, since conditions may depend on the time.
const awaitInterval = 50 * time.Millisecond

// Await waits until the condition holds for the recorded state, looking again after every event and every 50 ms, but not while the API server stands still:
// that nothing changes means nothing then. The condition must not keep or change the state, nor call the Recorder. The error is the context's cause, or what
// stopped the recording. Waiting is for stimuli to take effect: a verdict comes from the history.
func (r *Recorder) Await(ctx context.Context, condition func(*history.Cluster) bool) error {
	tick := time.NewTicker(awaitInterval)
	defer tick.Stop()
	for {
		holds, changed, failure := r.ask(condition)
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

// ask reports whether the condition holds for the recorded state, what closes at the next change, and what stopped the recording. A condition that panics
// leaves the recorder usable: the spec fails, and its recording is finished.
func (r *Recorder) ask(condition func(*history.Cluster) bool) (holds bool, changed <-chan struct{}, failure error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Time = r.now()
	holds = r.pulse.Lively() && condition(r.state)
	if r.failure == nil && r.ended && !holds {
		return holds, r.changed, ErrEnded
	}
	return holds, r.changed, r.failure
}

// Close ends the watches and the recording. What is on disk stays readable, now and after a crash. The error is whatever stopped the recording
// before; a second call does nothing.
func (r *Recorder) Close() error {
	r.stop()
	r.running.Wait()
	r.unfollow()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	r.recordLastStandstills()
	if r.seal && r.proven > 0 && r.failure == nil {
		r.failure = r.writer.Seal()
	}
	err := r.file.Close()
	r.file = nil
	r.ended = true
	r.wake()
	return errors.Join(r.failure, err)
}

// append writes the entry and brings the state up to date. The caller holds the lock.
func (r *Recorder) append(entry history.Entry) error {
	if r.failure != nil {
		return r.failure
	}
	if r.ended {
		return fmt.Errorf("record at resourceVersion %d: %w", entry.ResourceVersion, ErrEnded)
	}
	if err := r.writer.Entry(entry); err != nil {
		r.failure = err
	} else if entry.Kind.EvidenceOnly() {
		r.state.Report(entry)
	} else {
		r.newest = max(r.newest, entry.ResourceVersion)
		r.state.Apply(entry)
	}
	if r.onEntry != nil && r.failure == nil {
		r.onEntry(entry)
	}
	r.wake()
	return r.failure
}

// fail stops the recording for a reason that nothing can mend.
func (r *Recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
		r.wake()
	}
}

// wake has every Await look again. The caller holds the lock.
func (r *Recorder) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}
