package trial

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/passive"
)

// heard is what a Listener was told.
type heard struct {
	// recording is closed when the first lists are there.
	recording chan struct{}

	mu     sync.Mutex
	broken []judge.Violation
	notes  []string
}

func newHeard() *heard { return &heard{recording: make(chan struct{})} }

func (h *heard) Recording()           { close(h.recording) }
func (*heard) Began(*passive.Rollout) {}
func (*heard) Ended(*passive.Rollout) {}

func (h *heard) Note(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = append(h.notes, text)
}

func (h *heard) Broken(_ *history.History, violations []judge.Violation, _ []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = append(h.broken, violations...)
}

func (h *heard) alarms() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.broken)
}

// watching is a watch under way.
type watching struct {
	*heard
	folder string
	stop   context.CancelFunc
	ended  chan error
	result *passive.Result
}

// watch begins one of the DaemonSet, and returns once it records.
func (w *world) watch(size int64) *watching {
	ctx, stop := context.WithCancel(w.Context())
	s := &watching{heard: newHeard(), folder: w.TempDir(), stop: stop, ended: make(chan error, 1)}
	go func() {
		var err error
		s.result, err = passive.Watch(ctx, passive.Options{
			Config: config, Targets: passive.Targets{Namespace: w.namespace, Names: []string{"agent"}}, Folder: s.folder, Size: size, Tell: s.heard,
		})
		s.ended <- err
	}()
	select {
	case <-s.recording:
	case err := <-s.ended:
		w.Fatalf("the watch ended before it recorded: %v", err)
	}
	return s
}

func (s *watching) recordings(w *world) []string {
	paths, err := filepath.Glob(filepath.Join(s.folder, "*.jsonl"))
	w.must(paths, err)
	return paths
}

// end ends the watch and returns what it has seen, and what its recordings together say.
func (s *watching) end(w *world) (*passive.Result, judge.Verdicts) {
	s.stop()
	if err := <-s.ended; err != nil {
		w.Fatal(err)
	}
	if len(s.notes) > 0 || s.result.Unproven != "" || len(s.result.Missed) > 0 {
		w.Errorf("notes %q, unproven %q, missed %q", s.notes, s.result.Unproven, s.result.Missed)
	}
	var parts []*history.History
	for _, path := range s.recordings(w) {
		h, err := history.Open(path)
		w.must(h, err)
		if h.Damage != "" || !h.CaughtUp {
			w.Errorf("%s: %s, caught up %t", path, h.Damage, h.CaughtUp)
		}
		parts = append(parts, h)
	}
	return s.result, passive.Judge(history.Join(parts...))
}
