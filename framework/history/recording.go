package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// line is one line of a recording: exactly one field group is set.
type line struct {
	Header      *Header         `json:"header,omitempty"`
	RV          uint64          `json:"rv,omitempty"`
	Received    time.Duration   `json:"received,omitempty"`
	Type        watch.EventType `json:"type,omitempty"`
	Kind        Kind            `json:"kind,omitempty"`
	Object      json.RawMessage `json:"object,omitempty"`
	Stimulus    *Stimulus       `json:"stimulus,omitempty"`
	Measurement *Measurement    `json:"measurement,omitempty"`
	Gap         *Gap            `json:"gap,omitempty"`
	CaughtUp    bool            `json:"caughtUp,omitempty"`
	Authors     *authorsLine    `json:"authors,omitempty"`
}

// Writer writes a recording line by line. It is not safe for concurrent use.
type Writer struct {
	out io.Writer
}

// NewWriter writes the header and returns the writer for what follows.
func NewWriter(out io.Writer, header Header) (*Writer, error) {
	header.Version = FormatVersion
	w := &Writer{out: out}
	return w, w.write(line{Header: &header})
}

// Entry appends one event, stimulus or measurement.
func (w *Writer) Entry(entry Entry) error {
	l := line{
		RV: entry.ResourceVersion, Received: entry.Received, Type: entry.Type, Kind: entry.Kind,
		Stimulus: entry.Stimulus, Measurement: entry.Measurement,
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

// Gap appends the mark of possibly missing events.
func (w *Writer) Gap(gap Gap) error { return w.write(line{Gap: &gap}) }

// CaughtUp appends the proof that the recording is complete up to here.
func (w *Writer) CaughtUp() error { return w.write(line{CaughtUp: true}) }

func (w *Writer) write(l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode recording line: %w", err)
	}
	if _, err := w.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write recording: %w", err)
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
		if number == 1 {
			if l.Header == nil || l.Header.Version != FormatVersion {
				return nil, fmt.Errorf("line 1: %w: want a header of version %s", ErrNotARecording, FormatVersion)
			}
			h.Header = *l.Header
			continue
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
	case l.CaughtUp:
		h.CaughtUp = true
		return nil
	case l.Authors != nil:
		h.takeAuthors(l.Authors)
		return nil
	}
	entry := Entry{
		ResourceVersion: l.RV, Received: l.Received, Time: h.Start.Add(l.Received), Type: l.Type, Kind: l.Kind,
		Stimulus: l.Stimulus, Measurement: l.Measurement,
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
	if entry.Object == nil && entry.Stimulus == nil && entry.Measurement == nil {
		return errors.New("neither an event nor a stimulus nor a measurement")
	}
	if l.Kind == KindEvent {
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
