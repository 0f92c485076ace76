package passive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

const (
	// interval is the pause between two proofs.
	interval = 2 * time.Second
	// proofTimeout bounds a proof.
	proofTimeout = time.Minute
	// startTimeout bounds the first lists.
	startTimeout = 2 * time.Minute
	// mostUnjudged is how many events may wait for a proof.
	mostUnjudged = 100_000
	// revisionLabel is the label by which Kubernetes' controllers tell revisions of DaemonSets apart.
	revisionLabel = appsv1.ControllerRevisionHashLabelKey
)

// Options says what to watch, and where recordings go.
type Options struct {
	// Config of a client that may list and watch: see fixtures/rbac/watch.yaml.
	Config *rest.Config
	// Targets to watch.
	Targets Targets
	// Folder of the recordings; it exists.
	Folder string
	// Size in bytes after which another recording is begun.
	Size int64
	// Keep is how many recordings are kept beside the first that show each requirement broken, and those that are needed to judge on. 0: all.
	Keep int
	// Until is asked after every judgement; true ends the watch. Default: nothing but the context does.
	Until func(*Result) bool
	// Tell is told what happens.
	Tell Listener
}

// Listener is told what happens, one thing at a time.
type Listener interface {
	// Recording is called once, when the first lists are there: what happens from then on is recorded.
	Recording()
	// Began and Ended are called with each rollout.
	Began(*Rollout)
	Ended(*Rollout)
	// Broken is called with what the recordings show broken, and their paths; the history is both joined.
	Broken(h *history.History, violations []judge.Violation, recordings []string)
	// Note is called with what the reader should know beside.
	Note(text string)
}

// Result is what a watch has seen.
type Result struct {
	// Over is how many rollouts are over, Rollouts are the last 100 of these; UnderWay are those that go on.
	Over               int
	Rollouts, UnderWay []*Rollout
	// Violations that were told.
	Violations int
	// Unproven says why what was recorded last was not judged; empty if it was.
	Unproven string
	// Missed says where events were missing, or where the judgement while it was recorded differs from that of the recordings.
	Missed []string
}

// watcher is a watch under way.
type watcher struct {
	options Options
	client  client.WithWatch
	ahead   time.Duration
	pulse   *pulse.Pulse
	result  Result
	series  string
	parts   int
	tracker *tracker
	bench   *bench
	// current is the recording under way; needed are those that the bench's judgement begins with and goes on to, current the last of them.
	current *recording
	needed  []part
	// kept are older ones, spared those that are the first to show one of the requirements in shown broken.
	kept   []string
	spared map[string]bool
	shown  map[requirements.ID]bool
	// proofs that are not old enough to be judged by; judged is the last one that was.
	proofs []proof
	judged proof
}

type recording struct {
	part
	recorder *recorder.Recorder
	feed     *feed
}

// part is one of the recordings that follow each other.
type part struct {
	path   string
	header history.Header
	// first is the version of the state with which it begins.
	first uint64
}

func paths(parts []part) []string {
	var all []string
	for _, one := range parts {
		all = append(all, one.path)
	}
	return all
}

type proof struct {
	version uint64
	at      time.Time
	// had is when it was had: nothing up to it was received later.
	had time.Time
}

// Watch records and judges until the context ends or Until says so. Then it judges what there is, and leaves complete recordings behind. The error is what kept it
// from that: ErrTargets for targets that are not there.
func Watch(ctx context.Context, options Options) (*Result, error) {
	w := &watcher{options: options, series: time.Now().UTC().Format("20060102T150405Z"), spared: map[string]bool{}, shown: map[requirements.ID]bool{}}
	var err error
	if w.client, err = recorder.NewClient(options.Config); err != nil {
		return nil, err
	}
	if w.pulse, err = pulse.Ask(ctx, w.ask); err != nil {
		return nil, err
	}
	defer w.pulse.Stop()
	if w.current, err = w.record(ctx); err != nil {
		return nil, err
	}
	if missing := w.missing(ctx); missing != "" {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrTargets, missing), w.current.recorder.Close(), os.Remove(w.current.path))
	}
	w.needed = []part{w.current.part}
	w.tracker = newTracker(w.options.Tell.Began, w.ended)
	w.bench = newBench(w.current.header, w.current.first, w.tracker)
	w.options.Tell.Recording()
	err = w.run(ctx)
	return &w.result, errors.Join(err, w.finish())
}

// ask reads as little as possible that is stored.
func (w *watcher) ask(ctx context.Context) error {
	return w.client.List(ctx, &appsv1.DaemonSetList{}, client.InNamespace(w.options.Targets.Namespace), client.Limit(1))
}

// ErrTargets is wrapped by the error of Watch for targets that are not there.
var ErrTargets = errors.New("nothing to watch")

// missing says which targets there are none of, once the recording has begun.
func (w *watcher) missing(ctx context.Context) (missing string) {
	err := w.current.recorder.Await(ctx, func(cluster *history.Cluster) bool {
		missing = w.options.Targets.missing(cluster)
		return true
	})
	if err != nil {
		return ""
	}
	return missing
}

// record begins a recording.
func (w *watcher) record(ctx context.Context) (*recording, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the API server did not list everything within %s", startTimeout))
	defer cancel()
	sources, err := w.options.Targets.sources(w.client)
	if err != nil {
		return nil, err
	}
	// Over days clocks drift apart.
	if w.ahead, err = clockOf(ctx, w.options.Config); err != nil {
		return nil, err
	}
	// One that cannot be begun, or kept, leaves its number to the next: those that follow each other are known by theirs.
	number := w.parts + 1
	r := &recording{feed: &feed{}, part: part{path: filepath.Join(w.options.Folder, fmt.Sprintf("watch-%s-%03d.jsonl", w.series, number))}}
	header := history.Header{
		Scenario: "watch of " + w.options.Targets.String(), RevisionLabel: revisionLabel, Watched: w.options.Targets.named(), Series: w.series, Part: number,
	}
	if w.options.Targets.Namespace != "" {
		header.Namespaces = []string{w.options.Targets.Namespace}
	}
	r.recorder, err = recorder.Start(ctx, recorder.Options{
		Sources: sources, Path: r.path, Header: header, Ahead: w.ahead, Pulse: w.pulse, Seal: true,
		OnEntry: r.feed.entry, OnGap: r.feed.onGap, OnStandstill: r.feed.onStandstill,
	})
	if err != nil {
		return nil, errors.Join(err, os.Remove(r.path))
	}
	if err := r.recorder.Mark(listed); err != nil {
		return nil, errors.Join(err, r.recorder.Close())
	}
	w.parts = number
	r.header, r.first = header, r.feed.newest()
	r.header.Kinds, r.header.Start = Kinds(), r.recorder.Start()
	return r, nil
}

// ended takes in that a rollout is over.
func (w *watcher) ended(r *Rollout) {
	w.result.Over++
	w.result.Rollouts = append(w.result.Rollouts, r)
	if len(w.result.Rollouts) > rolloutsKept {
		w.result.Rollouts = w.result.Rollouts[1:]
	}
	w.options.Tell.Ended(r)
}

// rolloutsKept is how many rollouts that are over a result holds: the last ones.
const rolloutsKept = 100

// run judges until the watch ends, and then what was recorded by then.
func (w *watcher) run(ctx context.Context) error {
	working := context.WithoutCancel(ctx)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var ended time.Time
	for ended.IsZero() || w.judged.at.Before(ended) && w.now().Sub(ended) < proofTimeout {
		if err := w.round(working); err != nil {
			return err
		}
		w.result.UnderWay = w.tracker.underWay(w.now())
		if w.options.Until != nil && w.options.Until(&w.result) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if ended.IsZero() {
				ended = w.now()
			}
			<-tick.C
		}
	}
	return nil
}

// now is the time by the cluster's clock.
func (w *watcher) now() time.Time { return time.Now().Add(w.ahead) }

// round proves what is recorded complete, and judges what has settled.
func (w *watcher) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proofTimeout, fmt.Errorf("not within %s", proofTimeout))
	defer cancel()
	version, at, err := w.current.recorder.Prove(ctx)
	if failure := w.current.recorder.Failure(); failure != nil {
		return failure
	}
	if gap := w.current.feed.missing(); gap != nil {
		return w.startOver(ctx, gap)
	}
	if err != nil {
		w.unproven(err)
		if waiting := w.current.feed.length(); waiting > mostUnjudged {
			return fmt.Errorf("%d events wait to be judged: %w", waiting, err)
		}
		return nil
	}
	w.result.Unproven = ""
	w.proofs = append(w.proofs, proof{version, at, w.now()})
	settled := slices.IndexFunc(w.proofs, func(p proof) bool { return p.had.After(w.now().Add(-settle)) })
	if settled > 0 {
		last := w.proofs[settled-1]
		w.proofs = w.proofs[settled:]
		if err := w.judge(last); err != nil {
			return err
		}
	}
	if err := w.forget(); err != nil {
		return err
	}
	return w.rotate(ctx)
}

func (w *watcher) unproven(err error) {
	if w.result.Unproven == "" {
		w.options.Tell.Note(fmt.Sprintf("what is recorded is not judged until it is proven complete: %v", err))
	}
	w.result.Unproven = err.Error()
}

// finish judges the rest, and completes the recording.
func (w *watcher) finish() error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), proofTimeout, fmt.Errorf("not within %s", proofTimeout))
	defer cancel()
	at := w.now()
	err := w.current.recorder.CatchUp(ctx)
	if err != nil {
		w.unproven(err)
	} else {
		err = w.judge(proof{version: w.current.recorder.Proven(), at: at})
	}
	w.result.UnderWay = w.tracker.underWay(w.now())
	if w.result.Unproven != "" {
		err = nil
	}
	return errors.Join(err, w.current.recorder.Close())
}
