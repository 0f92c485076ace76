package matchers_test

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestBefore(t *testing.T) {
	b, _, second := rollout(t)
	second.Terminating()
	h := b.History()
	keeps(t, h, Before(PodCreated(OfVersion("v2")), PodDeleted(Old())))
	keeps(t, h, Before(TemplateChanged(), PodCreated(OfVersion("v2"))))
	breaks(t, h, Before(PodDeleted(Old()), PodCreated(OfVersion("v2"))), "v2 pod created", "old pod deleted", "new-a", "old-a")
	breaks(t, h, Before(PodUnready(), PodCreated(Updated())), "and never pod became unready")
	isUntested(t, h, Before(PodCreated(Updated()), PodUnready()), "no pod became unready")
	isUntested(t, h, Before(PodUnready(), PodFailed()), "no pod failed")
}

func TestNeverBetween(t *testing.T) {
	b, ds, second := rollout(t)
	isUntested(t, b.History(), NeverBetween(TemplateChanged(), PodUnready(), PodDeleted()), "no pod became unready after template changed")
	second.Unready()
	h := b.History()
	keeps(t, h, NeverBetween(TemplateChanged(), PodAvailable(OfVersion("v2")), PodDeleted(Old())))
	keeps(t, h, NeverBetween(TemplateChanged(), PodUnready(), PodFailed()))
	breaks(t, h, NeverBetween(TemplateChanged(), PodUnready(), PodDeleted(Old())), "old-a")
	isUntested(t, h, NeverBetween(PodFailed(), PodUnready(), PodDeleted(Old())), "no pod failed")
	// What comes before the first bound or after the second is nobody's business.
	second.Terminating()
	ds.Observed()
	keeps(t, b.History(), NeverBetween(PodCreated(Named("new-b")), PodUnready(), PodDeleted(Old())))
}

func TestWithin(t *testing.T) {
	b, _, second := rollout(t)
	h := b.History()
	keeps(t, h, Within(time.Second, TemplateChanged(), PodCreated(Updated())))
	keeps(t, h, Within(6*time.Second, First(PodReady(OfVersion("v2"))), PodAvailable(Updated())))
	breaks(t, h, Within(3*time.Second, First(PodReady(OfVersion("v2"))), PodAvailable(Updated())), "within 3s", "became available after")
	breaks(t, h, Within(time.Second, PodAvailable(Updated()), PodDeleted(Old())))
	breaks(t, h, Within(time.Second, TemplateChanged(), PodFailed()), "no pod failed in")
	isUntested(t, h, Within(time.Second, PodFailed(), PodDeleted()), "no pod failed")
	isUntested(t, h, Within(time.Hour, PodDeleted(), PodFailed()), "the recording ends")
	isUntested(t, h, Within(judge.Prompt, Last(PodAvailable(Updated())), PodDeleted(Old())), "the recording ends")

	b.After(time.Minute)
	second.Terminating()
	breaks(t, b.History(), Within(time.Minute, Last(PodAvailable(Updated())), PodDeleted(Old())), "within 1m0s")
	keeps(t, b.History(), Within(2*time.Minute, Last(PodAvailable(Updated())), PodDeleted(Old())))
}

func TestNotWithin(t *testing.T) {
	b, _, _ := rollout(t)
	h := b.History()
	keeps(t, h, NotWithin(3*time.Second, First(PodReady(OfVersion("v2"))), PodDeleted(Old())))
	keeps(t, h, NotWithin(3*time.Second, First(PodReady(OfVersion("v2"))), PodFailed()))
	breaks(t, h, NotWithin(10*time.Second, First(PodReady(OfVersion("v2"))), PodDeleted(Old())), "old-a")
	isUntested(t, h, NotWithin(time.Second, PodFailed(), PodDeleted()), "no pod failed")
}

func TestWhatIsHeardOfLate(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	pod := b.DaemonSet("agent").Pod("a", "node-1")
	pod.Ready()
	b.By(history.Kubelet, "patch").Answered(2 * time.Second)
	b.After(3 * time.Second)
	pod.Terminating()
	b.By(history.Implementation, "delete").Answered(2 * time.Second)
	// Between 3 and 5 s passed: 5 by when the first was answered and the second was heard of, 1 by the other two.
	keeps(t, b.History(), NotWithin(4*time.Second, PodReady(), PodDeleted()))
	breaks(t, b.History(), NotWithin(6*time.Second, PodReady(), PodDeleted()), "pod deleted after 5.0")
	keeps(t, b.History(), Within(2*time.Second, PodReady(), PodDeleted()))
	breaks(t, b.History(), Within(500*time.Millisecond, PodReady(), PodDeleted()), "pod deleted after 1.0")
}
