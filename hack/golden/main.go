// Command golden keeps the recordings of a run as golden ones, in suites/testdata/golden/NAME. The tests of package suites judge them again, so that
// every spec's check is tested without a cluster.
//
//	go run ./hack/golden NAME FOLDER [RECORDING...]
//
// NAME is a folder for the implementation that was recorded, FOLDER that of a run; without RECORDINGs all of them are kept. Afterwards write the verdicts
// anew, and read what changed: go test ./suites -run Golden -update
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/suites/golden"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./hack/golden NAME FOLDER [RECORDING...]")
		os.Exit(2)
	}
	if err := keep(os.Args[1], filepath.Join(os.Args[2], "recordings"), os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

func keep(implementation, recordings string, names []string) error {
	corpus, err := golden.Open(filepath.Join("suites", "testdata", "golden"))
	if err != nil {
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
		h, err := history.Open(filepath.Join(recordings, name+".jsonl"))
		if err != nil {
			return err
		}
		if err := corpus.Write(implementation+"/"+name, h); err != nil {
			return err
		}
	}
	return nil
}
