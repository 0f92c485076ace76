package recorder

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// What follows records what the harness itself does, and what it and its clients see.

// Do records the stimulus, carries it out, and records its outcome. The stimulus comes first, so that everything the act causes comes later. The
// error is the act's or, if the act was not even begun, the recording's. The context that the act gets says which stimulus it belongs to, so that
// the requests made with it are recorded as its own: see Transport.
func (r *Recorder) Do(ctx context.Context, stimulus history.Stimulus, act func(context.Context) error) error {
	number, err := r.stimulus(stimulus)
	if err != nil {
		return err
	}
	failure := act(withStimulus(ctx, number))
	outcome := history.Outcome{Stimulus: number}
	if failure != nil {
		outcome.Refused, outcome.Error = refused(failure), failure.Error()
	}
	if err := r.appendNow(history.Entry{Outcome: &outcome}); failure == nil {
		return err
	}
	return failure
}

func (r *Recorder) stimulus(stimulus history.Stimulus) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stimuli++
	stimulus.Number = r.stimuli
	entry := history.Entry{Stimulus: &stimulus, ResourceVersion: r.newest}
	r.stamp(&entry)
	return stimulus.Number, r.append(entry)
}

// refused reports whether the error is the API server's word that it did nothing.
func refused(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= http.StatusBadRequest && status.Status().Code < http.StatusInternalServerError
}

// Mark records a point that the scenario's checks refer to.
func (r *Recorder) Mark(mark history.Mark) error { return r.appendNow(history.Entry{Mark: mark}) }

// Measurement records what a client has measured. It is called as soon as the client has ended: see history.Entry.Instant.
func (r *Recorder) Measurement(measurement history.Measurement) error {
	return r.appendNow(history.Entry{Measurement: &measurement})
}

// Exchange records a request and its answer. It fills in when they were, since the recording began.
func (r *Recorder) exchange(exchange history.Exchange) error {
	return r.appendNow(history.Entry{Exchange: &exchange})
}

// End records how the scenario ended, after which only the proof that the recording is complete should follow.
func (r *Recorder) End(ending history.Ending) error {
	return r.appendNow(history.Entry{Ending: &ending})
}

// Bind records the objects that the scenario chose, by the name that its checks know them by.
func (r *Recorder) Bind(name string, values ...string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return r.failure
	}
	if r.ended {
		return ErrEnded
	}
	if err := r.writer.Bind(history.Bind{Name: name, Values: values}); err != nil {
		r.failure = err
	}
	return r.failure
}
