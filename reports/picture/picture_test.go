package picture_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rollcall-conformance/rollcall/reports/picture"
)

func small() *picture.Picture {
	return &picture.Picture{
		Steps: []time.Duration{-2 * time.Second, -250 * time.Millisecond, 0, 30 * time.Millisecond}, Moment: 2,
		Nodes: []picture.Node{{Name: "node-1", Older: 2, Lanes: []picture.Lane{
			{Pod: "agent-a", Revision: "old", Number: 1, Life: "AAtt"}, {Pod: "agent-b", Revision: "updated", Number: 12, Life: "_prR"},
		}}, {Name: "node-2"}},
		Marks: []picture.Mark{{Step: -1, At: -3 * time.Second, Text: "earlier"}, {Step: 1, At: -250 * time.Millisecond, Text: "an update"}},
	}
}

func TestAPictureIsDrawnLikeThis(t *testing.T) {
	t.Parallel()
	const want = `  marks                             a
  node node-1
    (2 older pods)
    agent-a  old      no. 1   #########xxxxxx
    agent-b  updated  no. 12        ...--====
  node node-2
    no pods
                                       ^ SURGE-006 broken
  time from then              -2.0s    0 +30ms
  . pending  - running not Ready  = Ready  # available  x terminating
  Every change is drawn, however short it lasted: time is not to scale.
  <    -3.0s  earlier
  a   -250ms  an update
`
	got := picture.Draw(small(), picture.Options{Width: 100, Caption: "SURGE-006 broken"})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAPictureIsAsWideAsAskedWhateverItHolds(t *testing.T) {
	t.Parallel()
	p := small()
	for i := range 20 {
		p.Steps = append(p.Steps, time.Duration(i+1)*100*time.Second)
		for lane := range p.Nodes[0].Lanes {
			p.Nodes[0].Lanes[lane].Life += "A"
		}
	}
	p.Nodes[0].Lanes[0].Pod = strings.Repeat("long-name-", 10)
	for _, unicode := range []bool{true, false} {
		for _, line := range strings.Split(picture.Draw(p, picture.Options{Width: 100, Unicode: unicode, Caption: "SURGE-006 broken"}), "\n") {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("a line is wider than 100 columns: %q", line)
			}
			if !unicode && len(line) != utf8.RuneCountInString(line) {
				t.Errorf("a line is not ASCII: %q", line)
			}
		}
	}
}

func TestAPictureThatCannotBeDrawnIsRefused(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*picture.Picture){
		"moment is step 4 of 4": func(p *picture.Picture) { p.Moment = 4 },
		"has 3 steps":           func(p *picture.Picture) { p.Nodes[0].Lanes[0].Life = "AAA" },
		"unknown stage":         func(p *picture.Picture) { p.Nodes[0].Lanes[0].Life = "AAzA" },
		"at step 9 of 4":        func(p *picture.Picture) { p.Marks[1].Step = 9 },
		"no node":               func(p *picture.Picture) { p.Nodes = nil },
	} {
		p := small()
		spoil(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one that says %s", err, want)
		}
		if got := picture.Draw(p, picture.Options{Width: 100}); got != "" {
			t.Errorf("a picture that is refused is drawn:\n%s", got)
		}
	}
	if err := small().Check(); err != nil {
		t.Error(err)
	}
}

func TestOffsetsAreShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-228 * time.Millisecond: "-228ms", 0: "+0ms", 1500 * time.Millisecond: "+1.5s", -90 * time.Second: "-90.0s", -150 * time.Second: "-2m30s",
		3*time.Minute + 5*time.Second: "+3m05s",
	} {
		if got := picture.Offset(d); got != want {
			t.Errorf("%s is written %q, want %q", d, got, want)
		}
	}
}
