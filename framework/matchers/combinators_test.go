package matchers_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestWellAfterLeavesOutWhatMayHaveBeenDecidedBefore(t *testing.T) {
	createdLater := func(by time.Duration) *history.History {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		ds.Update("v2")
		b.After(by)
		ds.Pod("new", "node-1")
		return b.Mark("end").History()
	}
	late := WellAfter(PodCreated().On("node-1"), TemplateChanged())
	for _, m := range []Matcher{Never(late), NeverBetween(TemplateChanged(), Marked("end"), late), Never(late.Where("new", func(m Moment) bool { return m.Pod().Name == "new" }))} {
		keeps(t, createdLater(judge.Lag-100*time.Millisecond), m)
		breaks(t, createdLater(judge.Lag+100*time.Millisecond), m, "new")
		heard := createdLater(judge.Lag + 100*time.Millisecond)
		for i, entry := range heard.Entries {
			if pod, is := entry.Object.(*corev1.Pod); is && pod.Name == "new" {
				heard.Entries[i].Author = &history.Author{Who: history.Implementation, Answered: entry.Time.Add(-200 * time.Millisecond)}
			}
		}
		keeps(t, heard, m)
	}
}
