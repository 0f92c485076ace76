package audit_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// log is one whose lines come with each reading, which takes its time.
type log struct {
	readings []string
	read     int
	takes    time.Duration
	err      error
}

func (l *log) End(context.Context) (int64, error) { return 0, l.err }

func (l *log) From(ctx context.Context, _ int64, _ ...string) (io.ReadCloser, error) {
	select {
	case <-time.After(l.takes):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	text := strings.Join(l.readings[:min(l.read+1, len(l.readings))], "")
	l.read++
	return io.NopCloser(strings.NewReader(text)), l.err
}

// kept is a history of the pod that is patched in the line of that name, at the time.
func kept(at time.Time) *history.History {
	pod, err := history.NewObject(history.KindPod)
	if err != nil {
		panic(err)
	}
	pod.SetUID("u")
	return &history.History{
		Header:  history.Header{Namespaces: []string{`"s"`}},
		Entries: []history.Entry{{ResourceVersion: 12, Type: watch.Modified, Kind: history.KindPod, Object: pod, Time: at}},
	}
}

func TestALineThatComesLateIsWaitedFor(t *testing.T) {
	g := NewWithT(t)
	late := &log{readings: []string{"", patched[:50], patched[50:] + "\n"}}
	found, err := audit.Authors{Log: late}.Of(t.Context(), kept(time.Now()), 0)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Authors).To(HaveLen(1))
	g.Expect(found.Authors[0].Author).To(Equal(history.Author{
		Who: history.Kubelet, User: "system:node:n", Verb: "patch", Subresource: "status", Code: 200, Answered: time.Date(2026, 1, 1, 12, 0, 0, 2000, time.UTC),
	}))
	g.Expect(late.read).To(Equal(3))
}

func TestALineThatIsLongOverdueIsNotWaitedFor(t *testing.T) {
	g := NewWithT(t)
	empty := &log{readings: []string{""}}
	found, err := audit.Authors{Log: empty}.Of(t.Context(), kept(time.Now().Add(-audit.Delay)), 0)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Authors).To(BeEmpty())
	g.Expect(empty.read).To(Equal(1))
}

func TestALineThatNeverComesEndsTheWait(t *testing.T) {
	g := NewWithT(t)
	began := time.Now()
	found, err := audit.Authors{Log: &log{readings: []string{""}}}.Of(t.Context(), kept(began), 0)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Authors).To(BeEmpty())
	g.Expect(time.Since(began)).To(BeNumerically("<", 2*audit.Delay))
}

func TestALogThatTakesLongToReadIsReadToItsEnd(t *testing.T) {
	g := NewWithT(t)
	slow := &log{readings: []string{patched + "\n"}, takes: audit.Delay + 100*time.Millisecond}
	found, err := audit.Authors{Log: slow}.Of(t.Context(), kept(time.Now()), 0)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Authors).To(HaveLen(1))
}

func TestALogThatCannotBeReadIsAnError(t *testing.T) {
	broken := errors.New("no such machine")
	_, err := audit.Authors{Log: &log{err: broken, readings: []string{""}}}.Of(t.Context(), kept(time.Now()), 0)
	NewWithT(t).Expect(err).To(MatchError(broken))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = audit.Authors{Log: &log{readings: []string{""}}}.Of(ended, kept(time.Now()), 0)
	NewWithT(t).Expect(err).To(MatchError(context.Canceled))
}

func TestTheLogSpeaksOfTheWorkloadWhereTheRecordingSpeaksOfDaemonSets(t *testing.T) {
	b := historytest.New(t)
	b.DaemonSet("d").Gone()
	// A deletion that is known by the object's name alone.
	const removed = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/","verb":"delete","user":{"username":"admin"},` +
		`"objectRef":{"resource":"daemons","namespace":"scenario","name":"d","apiGroup":"rollcall.dev","apiVersion":"v1alpha1"},` +
		`"responseStatus":{"status":"Success","code":200},"requestReceivedTimestamp":"2026-01-01T11:00:00.000000Z"}` + "\n"
	daemons := workload.Workload{Group: "rollcall.dev", Version: "v1alpha1", Kind: "Daemon", Resource: "daemons"}
	elsewhere := daemons
	elsewhere.Group = "example.test"
	for _, row := range []struct {
		workload workload.Workload
		authors  int
	}{{daemons, 1}, {elsewhere, 0}, {workload.Workload{}, 0}} {
		all, err := audit.Authors{Log: &log{readings: []string{removed}}, Workload: row.workload}.Of(t.Context(), b.History(), 0)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(all.Authors).To(HaveLen(row.authors), row.workload.String())
	}
}
