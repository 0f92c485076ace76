package main

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// course is a sequence of phases that every implementation goes through, in its turn.
type course interface {
	// title names the course with its size. thing is what writes are counted by, and how many there are of it.
	title() string
	thing() (name string, count int)
	// prepare creates what all turns share, once. enter creates what one turn needs, in the namespace that it returns; leave removes that again.
	prepare(context.Context, kubernetes.Interface) error
	enter(ctx context.Context, client kubernetes.Interface, turn string) (namespace string, err error)
	leave(ctx context.Context, client kubernetes.Interface, namespace string) error
	// follow returns a follower for one turn.
	follow() follower
	// phases are gone through in this order.
	phases() []phase
}

// phase is one measured step of a course.
type phase struct {
	name     string
	stimulus history.Stimulus
	// wanted is the state that ends the phase.
	wanted wanted
	// do makes the requests with which it begins.
	do func(ctx context.Context, client kubernetes.Interface, namespace string) error
}

// wanted is the image of all pods in a rollout, or how many pods are healthy that budgets select.
type wanted struct {
	image   string
	healthy int
}

// follower follows a recording, and knows when a phase is over.
type follower interface {
	// begin is called before the phase's stimulus. The channel is closed when the phase is over.
	begin(wanted) <-chan struct{}
	// observe takes note of an entry of the recording.
	observe(history.Entry)
	// measured is what the phase took that is over. It is an error if the machine was too slow for the measurement.
	measured() (cost, error)
	// state says how far the phase is.
	state() string
}

// stopwatch takes the time of phases, in times of the recording.
type stopwatch struct {
	mu sync.Mutex
	// began is zero before the phase's stimulus, ended until the phase is over, which closes over.
	began, ended time.Duration
	over         chan struct{}
}

func (s *stopwatch) reset() <-chan struct{} {
	s.began, s.ended, s.over = 0, 0, make(chan struct{})
	return s.over
}

// observe takes the phase's beginning from its stimulus, and its end from the first entry after that with which it is done.
func (s *stopwatch) observe(entry history.Entry, done bool) {
	if entry.Stimulus != nil {
		s.began = entry.Received
	}
	if s.ended == 0 && s.began > 0 && done {
		s.ended = entry.Received
		close(s.over)
	}
}

func (s *stopwatch) took() time.Duration { return s.ended - s.began }
