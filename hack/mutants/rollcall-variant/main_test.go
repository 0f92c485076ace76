package main

import (
	"slices"
	"strings"
	"testing"
)

func TestTheFirstArgumentNamesTheVariant(t *testing.T) {
	variant, args, err := choose([]string{"--variant=one-worker", "--leader-elect=false"})
	if err != nil || variant.Name != "one-worker" || !slices.Equal(args, []string{"--leader-elect=false", "--concurrent-syncs=1"}) {
		t.Errorf("got %q, %q, %v", variant.Name, args, err)
	}
	if found, others := cutToy([]string{"--workload=toy", "--a"}); !found || !slices.Equal(others, []string{"--a"}) {
		t.Errorf("got %t, %q", found, others)
	}
	if found, others := cutToy([]string{"--a", "--workload=toy"}); found || len(others) != 2 {
		t.Errorf("got %t, %q: it has to come first", found, others)
	}
	for _, wrong := range [][]string{nil, {"--leader-elect=false"}, {"--variant=nobody"}} {
		if _, _, err := choose(wrong); err == nil || !strings.Contains(err.Error(), "variant") {
			t.Errorf("%q: got %v, want an error about the variant", wrong, err)
		}
	}
}
