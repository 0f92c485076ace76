package main

import (
	"io"
	"testing"

	"github.com/rollcall-conformance/rollcall/hack/mutation/mutant"
)

func TestEnoughAreKilled(t *testing.T) {
	killed := result{trial: mutant.Trial{Rule: "SURGE-001"}}
	survived := result{}
	lawful := result{because: &explained{Kind: "lawful"}}
	same := result{because: &explained{Kind: equivalent}}
	killedAlthoughTheSame := result{trial: mutant.Trial{Rule: "SURGE-001"}, because: &explained{Kind: equivalent}}
	for _, test := range []struct {
		name    string
		results []result
		least   int
		enough  bool
	}{
		{"all killed", []result{killed, killed}, 0, true},
		{"one survived", []result{killed, survived}, 0, false},
		{"one survived and is explained", []result{killed, lawful}, 0, true},
		{"one is killed that was thought to be equivalent", []result{killed, killedAlthoughTheSame}, 0, false},
		{"half of them, and half asked for", []result{killed, survived}, 50, true},
		{"half of them, and more asked for", []result{killed, survived}, 51, false},
		{"an explanation is no kill", []result{killed, lawful}, 51, false},
		{"equivalent ones do not count", []result{killed, same}, 100, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, err := writeTable(io.Discard, test.results)
			if err != nil {
				t.Fatal(err)
			}
			if all.enough(test.least) != test.enough {
				t.Errorf("%+v, at least %d percent: enough is %t, want %t", *all, test.least, !test.enough, test.enough)
			}
		})
	}
}
