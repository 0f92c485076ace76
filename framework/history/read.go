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
	"path"
	"slices"

	apiversion "k8s.io/apimachinery/pkg/version"
)

// ErrNotARecording is returned by Read for input that does not begin with a recording's header.
var ErrNotARecording = errors.New("not a rollcall recording")

// ErrEmpty is returned by Read for input without a byte, as a harness leaves a file that it could not write to, or was killed before it did.
var ErrEmpty = fmt.Errorf("%w: it is empty", ErrNotARecording)

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

// OpenHeader reads the header of the recording in a file.
func OpenHeader(path string) (Header, error) {
	file, err := os.Open(path)
	if err != nil {
		return Header{}, fmt.Errorf("open recording: %w", err)
	}
	defer file.Close()
	h := &History{}
	text, err := nextLine(bufio.NewReaderSize(file, 1<<16))
	if err != nil && !errors.Is(err, io.EOF) {
		return Header{}, fmt.Errorf("read %s: %w", path, err)
	}
	if err := h.readHeader(text); err != nil {
		return Header{}, fmt.Errorf("read %s: %w", path, err)
	}
	return h.Header, nil
}

// OpenUnsealed is Open for whoever made the recording and is going to Seal it: that it is not sealed yet is no damage.
func OpenUnsealed(path string) (*History, error) {
	h, err := Open(path)
	if err == nil && h.unsealed {
		h.Damage = ""
	}
	return h, err
}

// Read reads a recording and puts it in order. Where a line was changed, added, moved or taken out, or the end is missing, as a killed harness leaves it,
// the history is what comes before, and says so: see History.Damage. Input without a recording's header, or with a header that was changed, is an error,
// and so is what this package cannot know, such as another kind.
func Read(in io.Reader) (*History, error) {
	reader := bufio.NewReaderSize(in, 1<<20)
	h := &History{}
	sealed := false
	for h.Damage == "" {
		text, err := nextLine(reader)
		if errors.Is(err, io.EOF) && len(text) == 0 {
			break
		}
		number := h.lines + 1
		if errors.Is(err, ErrNotARecording) && number > 1 {
			h.Damage = fmt.Sprintf("line %d was changed: it is longer than any that a recorder writes", number)
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if number == 1 {
			if err := h.readHeader(text); err != nil {
				return nil, fmt.Errorf("line 1: %w", err)
			}
			continue
		}
		if sealed {
			h.Damage = fmt.Sprintf("line %d was added behind the end", number)
			break
		}
		var l line
		if h.Damage = h.read(text, number, &l); h.Damage != "" {
			break
		}
		h.lines = number
		if sealed = l.Sealed; sealed {
			continue
		}
		if err := h.add(l); err != nil {
			return nil, fmt.Errorf("line %d: %w: a later version of rollcall may have made the recording, then judge it with that", number, err)
		}
	}
	if h.lines == 0 {
		return nil, ErrEmpty
	}
	if h.unsealed = h.Damage == "" && !sealed && h.chain.on; h.unsealed {
		h.Damage = fmt.Sprintf("it was cut off after line %d", h.lines)
	}
	h.Sort()
	h.Attribute(h.Authors, h.authorships)
	return h, nil
}

// longestLine is more than any line of a recorder, in bytes: an API server takes no object above 3 MiB.
const longestLine = 16 << 20

// nextLine returns the next line with its newline, which the last may lack. A line above longestLine is ErrNotARecording; no more than that is read into memory.
func nextLine(reader *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := reader.ReadSlice('\n')
		if len(text)+len(part) > longestLine {
			return nil, fmt.Errorf("%w: it has a line of more than %d MiB", ErrNotARecording, longestLine>>20)
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}

func (h *History) readHeader(text []byte) error {
	var l line
	for magic, program := range map[string]string{"\x1f\x8b": "gunzip", "\x28\xb5\x2f\xfd": "zstd -d", "\xfd7zXZ": "unxz"} {
		if bytes.HasPrefix(text, []byte(magic)) {
			return fmt.Errorf("%w: it is compressed: unpack it with %s", ErrNotARecording, program)
		}
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%w: %w", ErrNotARecording, err)
	}
	if l.Header == nil {
		return fmt.Errorf("%w: want a header", ErrNotARecording)
	}
	if version := l.Header.Version; version != FormatVersion && version != Unchained {
		return fmt.Errorf("%w: its format is %s%s, and this rollcall reads %s and %s: use the rollcall that made the recording",
			ErrNotARecording, version, whichIs(version), FormatVersion, Unchained)
	}
	h.Header, h.lines, h.chain = *l.Header, 1, newChain(l.Header.Version)
	if !h.chain.follows(text) {
		return errors.New("the recording's header was changed, so nothing in it can be judged: use the recording as it was made")
	}
	return nil
}

// whichIs says of a format that this package does not read whether it is later or earlier than what it does; empty for what is no version at all.
func whichIs(format string) string {
	family, version := path.Split(format)
	ours, newest := path.Split(FormatVersion)
	switch {
	case family != ours:
		return ""
	case apiversion.CompareKubeAwareVersionStrings(version, newest) > 0:
		return ", that of a later version of rollcall"
	}
	return ", that of an earlier version of rollcall"
}

// read decodes a line. It returns what is wrong with it; empty if it is the one that was written there.
func (h *History) read(text []byte, number int, l *line) string {
	if err := json.Unmarshal(text, l); err != nil {
		if !bytes.HasSuffix(text, []byte("\n")) {
			return fmt.Sprintf("it was cut off in line %d", number)
		}
		return fmt.Sprintf("line %d was changed: %v", number, err)
	}
	switch missing := l.Number - number; {
	case l.Number == 0 && !h.chain.on:
		// Golden recordings leave the numbers out.
	case missing == 1:
		return fmt.Sprintf("line %d was taken out", number)
	case missing > 1:
		return fmt.Sprintf("lines %d to %d were taken out", number, l.Number-1)
	case missing < 0:
		return fmt.Sprintf("line %d was added or moved: it says that it is number %d", number, l.Number)
	}
	if !h.chain.follows(text) {
		return fmt.Sprintf("line %d was changed, or does not belong there", number)
	}
	return ""
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
	case l.Delay != nil:
		h.Delays = append(h.Delays, *l.Delay)
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
