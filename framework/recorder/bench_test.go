package recorder_test

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// BenchmarkRecord20000Events is held to 2 s an operation: a rollout over 1,000 nodes, from the watches to the disk.
func BenchmarkRecord20000Events(b *testing.B) {
	h := historytest.SurgeRollout(b, 1000)
	events := 0
	for b.Loop() {
		events = 0
		feeds := map[history.Kind]feed{}
		var sources []recorder.Source
		for _, kind := range h.Kinds {
			feeds[kind] = newFeed()
			sources = append(sources, recorder.Source{Kind: kind, ListerWatcher: feeds[kind]})
		}
		r, err := recorder.Start(b.Context(), recorder.Options{Sources: sources, Path: filepath.Join(b.TempDir(), "recording.jsonl")})
		if err != nil {
			b.Fatal(err)
		}
		for _, entry := range h.Entries {
			if entry.Stimulus == nil {
				feeds[entry.Kind].events <- watch.Event{Type: entry.Type, Object: entry.Object}
				events++
			}
		}
		if err := r.Await(b.Context(), func(cluster *history.Cluster) bool { return cluster.Changes == events }); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkReadBack20000Events reads such a recording from the disk, in order.
func BenchmarkReadBack20000Events(b *testing.B) {
	h := historytest.SurgeRollout(b, 1000)
	path := filepath.Join(b.TempDir(), "recording.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := h.Write(file); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		read, err := history.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if len(read.Entries) != len(h.Entries) {
			b.Fatalf("read %d entries of %d", len(read.Entries), len(h.Entries))
		}
	}
	b.ReportMetric(float64(len(h.Entries))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
