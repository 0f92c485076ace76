// Command golden keeps the recordings of a run as golden ones: trimmed, compressed, in suites/testdata/golden/NAME. The tests of package suites judge
// them again, so that every spec's check is tested without a cluster.
//
//	go run ./hack/golden NAME FOLDER [RECORDING...]
//
// NAME is a folder for the implementation that was recorded, FOLDER that of a run; without RECORDINGs all of them are kept. Afterwards write the verdicts
// anew, and read what changed: go test ./suites -run Golden -update
package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./hack/golden NAME FOLDER [RECORDING...]")
		os.Exit(2)
	}
	if err := keep(filepath.Join("suites", "testdata", "golden", os.Args[1]), filepath.Join(os.Args[2], "recordings"), os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

func keep(target, recordings string, names []string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	if len(names) == 0 {
		paths, err := filepath.Glob(filepath.Join(recordings, "*.jsonl"))
		if err != nil || len(paths) == 0 {
			return errors.Join(err, fmt.Errorf("%s holds no recordings", recordings))
		}
		for _, path := range paths {
			names = append(names, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
		}
	}
	for _, name := range names {
		if err := keepOne(filepath.Join(target, name+".jsonl.gz"), filepath.Join(recordings, name+".jsonl")); err != nil {
			return err
		}
	}
	return nil
}

func keepOne(target, path string) (err error) {
	h, err := history.Open(path)
	if err != nil {
		return err
	}
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	trim(h)
	if err := h.Write(compressed); err != nil {
		return err
	}
	return compressed.Close()
}

// trim drops what no rule and no check looks at: Event objects but those about DaemonSets, heartbeats of nodes, and what is long in their status.
func trim(h *history.History) {
	h.Evidence = slices.DeleteFunc(h.Evidence, func(entry history.Entry) bool {
		event, ok := entry.Object.(*corev1.Event)
		return !ok || event.InvolvedObject.Kind != string(history.KindDaemonSet)
	})
	nodes := map[types.UID]*corev1.Node{}
	kept := h.Entries[:0]
	for _, entry := range h.Entries {
		if node, ok := entry.Object.(*corev1.Node); ok {
			before := nodes[node.UID]
			nodes[node.UID] = node
			if before != nil && entry.Type == "MODIFIED" && history.SameToScenario(before, node) {
				continue
			}
			node.Status = corev1.NodeStatus{Conditions: node.Status.Conditions}
		}
		kept = append(kept, entry)
	}
	h.Entries = kept
}
