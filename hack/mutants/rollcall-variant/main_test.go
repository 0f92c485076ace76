package main

import (
	"slices"
	"strings"
	"testing"
)

func TestTheFirstArgumentNamesTheVariant(t *testing.T) {
	_, args, err := choose([]string{"--variant=one-worker", "--leader-elect=false"})
	if err != nil || !slices.Equal(args, []string{"--leader-elect=false", "--concurrent-syncs=1"}) {
		t.Errorf("got %q, %v", args, err)
	}
	if options, _, err := choose([]string{"--variant=deletes-first"}); err != nil || options.DaemonSet.Plan == nil || options.Disruption.Plan != nil {
		t.Errorf("got %+v, %v, want another DaemonSet controller", options, err)
	}
	if options, _, err := choose([]string{"--variant=rounds-min-available-down"}); err != nil || options.DaemonSet.Plan != nil || options.Disruption.Plan == nil {
		t.Errorf("got %+v, %v, want another disruption controller", options, err)
	}
	if found, others := cutToy([]string{"--workload=toy", "--a"}); !found || !slices.Equal(others, []string{"--a"}) {
		t.Errorf("got %t, %q", found, others)
	}
	both, args, err := choose([]string{"--variant=one-worker,nodes-in-reverse,own-condition-first", "--leader-elect=false"})
	if err != nil || both.DaemonSet.Plan == nil || both.Disruption.Plan == nil || both.StatefulSet.Plan != nil ||
		!slices.Equal(args, []string{"--leader-elect=false", "--concurrent-syncs=1"}) {
		t.Errorf("got %+v, %q, %v, want the differences of all three", both, args, err)
	}
	if found, others := cutToy([]string{"--a", "--workload=toy"}); found || len(others) != 2 {
		t.Errorf("got %t, %q: it has to come first", found, others)
	}
	for _, wrong := range [][]string{nil, {"--leader-elect=false"}, {"--variant=nobody"}, {"--variant=one-worker,nobody"}} {
		if _, _, err := choose(wrong); err == nil || !strings.Contains(err.Error(), "variant") {
			t.Errorf("%q: got %v, want an error about the variant", wrong, err)
		}
	}
}
