package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
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
	Authors     *authorsLine    `json:"authors,omitempty"`
	Health      *Health         `json:"health,omitempty"`
}

// Writer writes a recording line by line. It is not safe for concurrent use.
type Writer struct {
	out    io.Writer
	number int
}

// NewWriter writes the header and returns the writer for what follows.
func NewWriter(out io.Writer, header Header) (*Writer, error) {
	header.Version = FormatVersion
	w := &Writer{out: out}
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
	if _, err := w.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	return nil
}

// Write writes the whole history as a recording, which reads back as the same.
func (h *History) Write(out io.Writer) error {
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
		if err := w.authors(h.Authors, Attribution{Authors: h.authorship(), Refusals: h.Refusals}); err != nil {
			return err
		}
	}
	if h.Health != nil {
		return w.write(line{Health: h.Health})
	}
	return nil
}

// ErrNotARecording is returned by Read for input that does not begin with a recording's header.
var ErrNotARecording = errors.New("not a rollcall recording")

// Open reads the recording in a file.
func Open(path string) (*History, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	defer file.Close()
	h, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return h, nil
}

// Read reads a recording and puts it in order. A last line cut short, as a killed harness leaves it, is dropped; the history is
// then not CaughtUp. Any other malformed line is an error that names it.
func Read(in io.Reader) (*History, error) {
	reader := bufio.NewReaderSize(in, 1<<20)
	h := &History{}
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		whole := bytes.HasSuffix(text, []byte("\n"))
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			if !whole && number > 1 {
				break
			}
			if number == 1 {
				return nil, fmt.Errorf("line 1: %w: %w", ErrNotARecording, err)
			}
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		h.lines = number
		if number == 1 {
			if l.Header == nil {
				return nil, fmt.Errorf("line 1: %w: want a header", ErrNotARecording)
			}
			if l.Header.Version != FormatVersion {
				return nil, fmt.Errorf("line 1: %w: its format is %s, and this rollcall reads %s: use the rollcall that made the recording",
					ErrNotARecording, l.Header.Version, FormatVersion)
			}
			h.Header = *l.Header
			continue
		}
		if l.Number != number {
			return nil, fmt.Errorf("line %d: it is number %d of its recording: lines were taken out, added or moved", number, l.Number)
		}
		if err := h.add(l); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if h.Version == "" {
		return nil, fmt.Errorf("%w: it is empty", ErrNotARecording)
	}
	h.Sort()
	h.Attribute(h.Authors, h.authorships)
	return h, nil
}

func (h *History) add(l line) error {
	switch {
	case l.Gap != nil:
		h.Gaps = append(h.Gaps, *l.Gap)
		return nil
	case l.Standstill != nil:
		h.Standstills = append(h.Standstills, *l.Standstill)
		return nil
	case l.CaughtUp:
		h.CaughtUp = true
		return nil
	case l.Authors != nil:
		h.takeAuthors(l.Authors)
		return nil
	case l.Refusal != nil:
		h.Refusals = append(h.Refusals, *l.Refusal)
		return nil
	case l.Health != nil:
		h.Health = l.Health
		return nil
	case l.Bind != nil:
		if h.Bindings == nil {
			h.Bindings = map[string][]string{}
		}
		h.Bindings[l.Bind.Name] = l.Bind.Values
		return nil
	case l.Stimulus != nil:
		if err := l.Stimulus.Act.Valid(); err != nil {
			return err
		}
	}
	entry := Entry{
		ResourceVersion: l.RV, Received: l.Received, Time: h.Start.Add(l.Received), Type: l.Type, Kind: l.Kind, Stimulus: l.Stimulus, Outcome: l.Outcome,
		Exchange: l.Exchange, Mark: l.Mark, Measurement: l.Measurement, Ending: l.Ending,
	}
	if l.Object != nil {
		object, err := NewObject(l.Kind)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(l.Object, object); err != nil {
			return fmt.Errorf("%s: %w", l.Kind, err)
		}
		entry.Object = object
	}
	if entry.Object == nil && !entry.isHarness() {
		return errors.New("neither an event nor anything that the harness did or saw")
	}
	if l.Kind.EvidenceOnly() {
		h.Evidence = append(h.Evidence, entry)
		return nil
	}
	h.Entries = append(h.Entries, entry)
	// Anything after the proof was not covered by it.
	h.CaughtUp = false
	return nil
}

// Sort puts the entries in the order of their resource versions; equal versions keep the order received, which puts a stimulus
// or measurement after the event whose version it carries.
func (h *History) Sort() {
	slices.SortStableFunc(h.Entries, func(a, b Entry) int { return cmp.Compare(a.ResourceVersion, b.ResourceVersion) })
}
