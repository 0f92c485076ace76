package recorder

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
)

// answeredAgain records the standstill that is over. Whoever waits for nothing to change waits anew.
func (r *Recorder) answeredAgain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return
	}
	past, _ := r.pulse.Standstills()
	r.recordStandstills(past)
	r.state.Changes++
	r.wake()
}

// recordLastStandstills records, when the recording is closed, those that nobody told of, and the one under way. The caller holds the lock.
func (r *Recorder) recordLastStandstills() {
	past, underWay := r.pulse.Standstills()
	if underWay != nil {
		past = append(past, *underWay)
	}
	r.recordStandstills(past)
}

// recordStandstills records those that are not in the recording yet, and concern it. The caller holds the lock.
func (r *Recorder) recordStandstills(all []pulse.Standstill) {
	for _, s := range all[r.standstills:] {
		standstill := history.Standstill{From: s.From.Sub(r.began), Until: s.Until.Sub(r.began), Suspended: s.Suspended}
		if s.Error != nil {
			standstill.Error = s.Error.Error()
		}
		if standstill.Recovered() <= 0 || r.failure != nil || r.writer == nil {
			continue
		}
		r.failure = r.writer.Standstill(standstill)
		if r.onStandstill != nil {
			r.onStandstill(standstill)
		}
	}
	r.standstills = len(all)
}
