package history_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// FuzzTampering changes a stretch of a whole recording: whatever it is, reading notices.
func FuzzTampering(f *testing.F) {
	var out bytes.Buffer
	if err := historytest.SurgeRollout(f, 1).Write(&out); err != nil {
		f.Fatal(err)
	}
	whole := out.Bytes()
	f.Add(uint(0), uint(0), []byte("x"))
	f.Add(uint(200), uint(1), []byte("2"))
	f.Add(uint(len(whole)/2), uint(len(whole)), []byte(nil))
	f.Add(uint(len(whole)-1), uint(1), []byte("\r\n"))
	f.Add(uint(len(whole)), uint(0), []byte("\n"))
	f.Fuzz(func(t *testing.T, at, length uint, with []byte) {
		at %= uint(len(whole) + 1)
		length %= uint(len(whole)) - at + 1
		changed := bytes.Join([][]byte{whole[:at], with, whole[at+length:]}, nil)
		h, err := history.Read(bytes.NewReader(changed))
		noticed := err != nil || h.Damage != ""
		// The newline behind the last line says nothing.
		if same := bytes.Equal(bytes.TrimSuffix(changed, []byte("\n")), bytes.TrimSuffix(whole, []byte("\n"))); noticed == same {
			t.Errorf("bytes %d to %d replaced by %q: noticed: %t (%v)", at, at+length, with, noticed, err)
		}
	})
}

// endless is a file without a newline.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestALineWithoutEndIsNotReadIntoMemory: as the header it is no recording; behind it, damage.
func TestALineWithoutEndIsNotReadIntoMemory(t *testing.T) {
	const atMost = 32 << 20
	header := &endless{}
	if _, err := history.Read(header); !errors.Is(err, history.ErrNotARecording) || header.read > atMost {
		t.Errorf("%v after %d bytes", err, header.read)
	}
	whole := recorded(t, written(t).History())
	first, _, _ := strings.Cut(whole, "\n")
	later := &endless{}
	h, err := history.Read(io.MultiReader(strings.NewReader(first+"\n"), later))
	if err != nil || !strings.HasPrefix(h.Damage, "line 2 was changed: it is longer than") || later.read > atMost {
		t.Errorf("%v, damage %q after %d bytes", err, h.Damage, later.read)
	}
}
