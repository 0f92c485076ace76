package pulse

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// heard is a pulse that has heard beats, each sent so long before it was heard, at these times.
func heard(began time.Time, beats ...beatAt) *Pulse {
	p := &Pulse{every: Interval}
	for _, beat := range beats {
		if beat.fails != nil {
			p.rhythm.fail(beat.fails)
			continue
		}
		at := began.Add(beat.at)
		p.rhythm.hear(at.Add(-beat.late), instant{wall: at, awake: beat.at - beat.asleep})
	}
	return p
}

type beatAt struct {
	at, late time.Duration
	// asleep is for how long the machine has been suspended by then.
	asleep time.Duration
	fails  error
}

func TestAStandstillIsATimeWithoutABeat(t *testing.T) {
	timedOut := errors.New("etcdserver: request timed out")
	for name, row := range map[string]struct {
		beats []beatAt
		// from and until of the only standstill; none if both are zero.
		from, until time.Duration
		suspended   time.Duration
		trouble     error
	}{
		"regular beats":           {beats: []beatAt{{at: 0}, {at: Interval}, {at: 2 * Interval}}},
		"as late as may be":       {beats: []beatAt{{at: 0}, {at: Silence, late: Silence}, {at: 2 * Silence}}},
		"silence":                 {beats: []beatAt{{at: Interval}, {at: 9 * time.Second}, {at: 9*time.Second + Interval}}, from: Interval, until: 9 * time.Second},
		"what is late is no beat": {beats: []beatAt{{at: 0}, {at: 9 * time.Second, late: 2 * time.Second}, {at: 9*time.Second + Interval}}, from: 0, until: 9*time.Second + Interval},
		"a watch that lags behind": {
			beats: []beatAt{{at: 0}, {at: Interval, late: 2 * time.Second}, {at: 2 * time.Second, late: 2 * time.Second}, {at: 3 * time.Second}},
			from:  0, until: 3 * time.Second,
		},
		"a machine that is suspended": {
			beats: []beatAt{{at: 0}, {at: time.Hour, asleep: time.Hour - Interval}},
			from:  0, until: time.Hour, suspended: time.Hour - Interval,
		},
		"silence after a while of sleep": {
			beats: []beatAt{{at: 0}, {at: 10 * time.Second, asleep: 4 * time.Second}},
			from:  0, until: 10 * time.Second, suspended: 4 * time.Second,
		},
		"it says why": {
			beats: []beatAt{{at: 0}, {fails: errors.New("an earlier one")}, {fails: timedOut}, {at: 9 * time.Second}},
			from:  0, until: 9 * time.Second, trouble: timedOut,
		},
		"what failed before is no reason": {
			beats: []beatAt{{fails: timedOut}, {at: 0}, {at: 9 * time.Second}},
			from:  0, until: 9 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			began := time.Now().Round(0).Add(-time.Minute)
			past, _ := heard(began, row.beats...).Standstills()
			if row.until == 0 {
				g.Expect(past).To(BeEmpty())
				return
			}
			g.Expect(past).To(ConsistOf(Standstill{From: began.Add(row.from), Until: began.Add(row.until), Suspended: row.suspended, Error: row.trouble}))
		})
	}
}

func TestAStandstillUnderWayIsToldAsOne(t *testing.T) {
	g := NewWithT(t)
	p := heard(time.Now().Add(-time.Minute), beatAt{at: 0})
	past, underWay := p.Standstills()
	g.Expect(past).To(BeEmpty())
	g.Expect(underWay.Until.Sub(underWay.From)).To(BeNumerically(">=", time.Minute))
	g.Expect(p.Lively()).To(BeFalse())

	p.rhythm.hear(time.Now(), now())
	past, underWay = p.Standstills()
	g.Expect(past).To(HaveLen(1))
	g.Expect(underWay).To(BeNil())
	g.Expect(p.Lively()).To(BeTrue())
}

func TestFollowersAreToldOfEachStandstill(t *testing.T) {
	g := NewWithT(t)
	began := time.Now().Add(-time.Minute)
	p := heard(began, beatAt{at: 0})
	told := 0
	unfollow := p.Follow(func() { told++ })
	hear := func(at time.Duration) { p.rhythm.hear(began.Add(at), instant{wall: began.Add(at), awake: at}) }
	hear(Interval)
	g.Expect(told).To(Equal(0))
	hear(10 * time.Second)
	g.Expect(told).To(Equal(1))
	unfollow()
	hear(20 * time.Second)
	g.Expect(told).To(Equal(1))
}

func TestAClockThatWasSetBackKeepsNobodyFromBeating(t *testing.T) {
	g := NewWithT(t)
	now := time.Now().Round(0)
	p := heard(now, beatAt{at: 0})
	g.Expect(p.rhythm.beatLately(now.Add(recent/2))).To(BeTrue(), "another process has just done so")
	g.Expect(p.rhythm.beatLately(now.Add(recent))).To(BeFalse())
	g.Expect(p.rhythm.beatLately(now.Add(-time.Hour))).To(BeFalse())
}

func TestWhoeverRecoversIsTroubled(t *testing.T) {
	for name, row := range map[string]struct {
		beats []beatAt
		// ago is how long ago, a minute after the beats began, everybody had recovered.
		ago time.Duration
	}{
		"after one":                             {beats: []beatAt{{at: 0}, {at: 2 * time.Second}}, ago: 56 * time.Second},
		"after sleep":                           {beats: []beatAt{{at: 0}, {at: 50 * time.Second, asleep: 50*time.Second - Interval}}, ago: 9 * time.Second},
		"while they recover":                    {beats: []beatAt{{at: 0}, {at: 40 * time.Second}}, ago: -20 * time.Second},
		"a short one while they recover of one": {beats: []beatAt{{at: 0}, {at: 30 * time.Second}, {at: 32 * time.Second}}, ago: 0},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now().Add(-time.Minute)
			p := heard(began, row.beats...)
			p.rhythm.heard = now()
			NewWithT(t).Expect(p.Untroubled()).To(BeNumerically("~", row.ago, time.Second))
		})
	}
	NewWithT(t).Expect(heard(time.Now(), beatAt{at: 0}).Untroubled()).To(BeNumerically(">", time.Hour), "no standstill")
}

func TestNoPulseKnowsOfNoStandstill(t *testing.T) {
	g := NewWithT(t)
	var p *Pulse
	past, underWay := p.Standstills()
	g.Expect(past).To(BeEmpty())
	g.Expect(underWay).To(BeNil())
	g.Expect(p.Lively()).To(BeTrue())
	g.Expect(p.Untroubled()).To(BeNumerically(">", time.Hour))
	p.Follow(func() {})()
	p.Stop()
}

// TestABeatOfAnotherProcessIsOneOfOurs has no client, by which it would write one.
func TestABeatOfAnotherProcessIsOneOfOurs(t *testing.T) {
	p := heard(time.Now(), beatAt{at: 0})
	p.beat(t.Context())
}
