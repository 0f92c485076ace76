package main

import (
	"slices"
	"strings"
	"testing"
)

func TestTheFirstArgumentsNameTheFaultAndTheApiServerBehind(t *testing.T) {
	fault, behind, others, err := choose([]string{"--fault=evictions-can-be-read", "--behind=/bin/kube-apiserver", "--secure-port=1"})
	if err != nil || fault.Name != "evictions-can-be-read" || behind != "/bin/kube-apiserver" || !slices.Equal(others, []string{"--secure-port=1"}) {
		t.Errorf("got %s, %s, %q, %v", fault.Name, behind, others, err)
	}
	for _, wrong := range [][]string{
		nil, {"--fault=evictions-can-be-read"}, {"--fault=nobody", "--behind=/bin/kube-apiserver"}, {"--fault=evictions-can-be-read", "--behind=kube-apiserver"},
		{"--behind=/bin/kube-apiserver", "--fault=evictions-can-be-read"},
	} {
		if _, _, _, err := choose(wrong); err == nil || !strings.Contains(err.Error(), "fault") {
			t.Errorf("%q: got %v, want an error about the fault", wrong, err)
		}
	}
}

func TestWithoutItsArgumentsThereIsNoFront(t *testing.T) {
	if _, err := newFront([]string{"--secure-port=1", "--cert-dir=/nowhere"}); err == nil || !strings.Contains(err.Error(), "--client-ca-file") {
		t.Errorf("got %v", err)
	}
}
