package run

import (
	"testing"
	"time"
)

func TestThePaceIsThatOfTheLastMinutes(t *testing.T) {
	began := time.Unix(0, 0)
	p := pace{{at: began}}
	now := began
	ended := 0
	// 60 specs in the first minute, then one every 30 s.
	for range 60 {
		now, ended = now.Add(time.Second), ended+1
		p = p.with(now, ended)
	}
	if left, known := p.left(now, ended, 70); !known || left != 10*time.Second {
		t.Errorf("after a minute: %s, %t", left, known)
	}
	for range 6 {
		now, ended = now.Add(30*time.Second), ended+1
		p = p.with(now, ended)
	}
	if left, known := p.left(now, ended, 70); !known || left != 2*time.Minute {
		t.Errorf("after four minutes: %s, %t", left, known)
	}
	now = now.Add(3 * time.Minute)
	p = p.with(now, ended)
	if left, known := p.with(now.Add(paceWindow), ended).left(now.Add(paceWindow), ended, 70); known {
		t.Errorf("none has ended for minutes: %s", left)
	}
	if _, known := (pace{}).left(now, 3, 70); known {
		t.Error("nobody has looked")
	}
}
