package history

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// line is one line of a recording: exactly one field group is set.
type line struct {
	// Number counts the lines of the recording from 1, so that one taken out shows.
	Number      int             `json:"n"`
	Header      *Header         `json:"header,omitempty"`
	RV          uint64          `json:"rv,omitempty"`
	Received    time.Duration   `json:"received,omitempty"`
	Type        watch.EventType `json:"type,omitempty"`
	Kind        Kind            `json:"kind,omitempty"`
	Object      json.RawMessage `json:"object,omitempty"`
	Stimulus    *Stimulus       `json:"stimulus,omitempty"`
	Outcome     *Outcome        `json:"outcome,omitempty"`
	Exchange    *Exchange       `json:"exchange,omitempty"`
	Mark        Mark            `json:"mark,omitempty"`
	Measurement *Measurement    `json:"measurement,omitempty"`
	Ending      *Ending         `json:"ending,omitempty"`
	Bind        *Bind           `json:"bind,omitempty"`
	Gap         *Gap            `json:"gap,omitempty"`
	Standstill  *Standstill     `json:"standstill,omitempty"`
	CaughtUp    bool            `json:"caughtUp,omitempty"`
	Refusal     *Refusal        `json:"refusal,omitempty"`
	Delay       *Standstill     `json:"delay,omitempty"`
	Authors     *authorsLine    `json:"authors,omitempty"`
	Health      *Health         `json:"health,omitempty"`
	// Sealed is the last line of a whole recording.
	Sealed bool `json:"sealed,omitempty"`
}

// Writer writes a recording line by line. It is not safe for concurrent use.
type Writer struct {
	out    io.Writer
	number int
	chain  chain
}

// NewWriter writes the header and returns the writer for what follows. The header's version is FormatVersion, unless it is Unchained.
func NewWriter(out io.Writer, header Header) (*Writer, error) {
	if header.Version != Unchained {
		header.Version = FormatVersion
	}
	w := &Writer{out: out, chain: newChain(header.Version)}
	return w, w.write(line{Header: &header})
}

// Entry appends one entry. A stimulus whose act is not known is an error.
func (w *Writer) Entry(entry Entry) error {
	if entry.Stimulus != nil {
		if err := entry.Stimulus.Act.Valid(); err != nil {
			return err
		}
	}
	l := line{
		RV: entry.ResourceVersion, Received: entry.Received, Type: entry.Type, Kind: entry.Kind, Stimulus: entry.Stimulus, Outcome: entry.Outcome,
		Exchange: entry.Exchange, Mark: entry.Mark, Measurement: entry.Measurement, Ending: entry.Ending,
	}
	if entry.Object != nil {
		object, err := json.Marshal(entry.Object)
		if err != nil {
			return fmt.Errorf("encode %s %s/%s: %w", entry.Kind, entry.Object.GetNamespace(), entry.Object.GetName(), err)
		}
		l.Object = object
	}
	return w.write(l)
}

// Bind appends the name that a scenario gives to what it chose.
func (w *Writer) Bind(bind Bind) error { return w.write(line{Bind: &bind}) }

// Gap appends the mark of possibly missing events.
func (w *Writer) Gap(gap Gap) error { return w.write(line{Gap: &gap}) }

// CaughtUp appends the proof that the recording is complete up to here.
func (w *Writer) CaughtUp() error { return w.write(line{CaughtUp: true}) }

func (w *Writer) write(l line) error {
	w.number++
	l.Number = w.number
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode recording line: %w", err)
	}
	if _, err := w.out.Write(append(w.chain.add(text), '\n')); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	return nil
}

// Write writes the whole history as a recording, which reads back as the same. One that was read from a damaged recording is an error.
func (h *History) Write(out io.Writer) error {
	if h.Damage != "" {
		return fmt.Errorf("write recording: %s", h.Damage)
	}
	w, err := NewWriter(out, h.Header)
	if err != nil {
		return err
	}
	for _, entry := range slices.Concat(h.Evidence, h.Entries) {
		if err := w.Entry(entry); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.Bindings)) {
		if err := w.Bind(Bind{Name: name, Values: h.Bindings[name]}); err != nil {
			return err
		}
	}
	for _, gap := range h.Gaps {
		if err := w.Gap(gap); err != nil {
			return err
		}
	}
	for _, standstill := range h.Standstills {
		if err := w.Standstill(standstill); err != nil {
			return err
		}
	}
	if h.CaughtUp {
		if err := w.CaughtUp(); err != nil {
			return err
		}
	}
	if h.Authors != "" {
		if err := w.authors(h.Authors, Attribution{Authors: h.authorship(), Refusals: h.Refusals, Delays: h.Delays}); err != nil {
			return err
		}
	}
	if h.Health != nil {
		if err := w.write(line{Health: h.Health}); err != nil {
			return err
		}
	}
	return w.Seal()
}
