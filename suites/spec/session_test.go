package spec

import (
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

func TestNothingThatIsRecordedNamesAFolderOfThisMachine(t *testing.T) {
	g := NewWithT(t)
	root := t.TempDir()
	session := Session{Artifacts: filepath.Join(root, "run"), Launch: Launch{Work: filepath.Join(root, "work")}}
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	line := "2026-01-01T12:00:01Z reading " + session.Launch.Work + "/kubeconfig"
	health := healthOf(session.folders(), "cannot write "+session.Artifacts, []string{line}, []judge.Violation{{Time: start.Add(time.Second)}}, start)
	const redacted = "2026-01-01T12:00:01Z reading WORK/kubeconfig"
	g.Expect(health).To(Equal(history.Health{
		Ended: "cannot write ARTIFACTS", Log: []string{redacted}, Beside: []history.LogLine{{At: time.Second, Text: redacted}},
	}))

	c := &Case{process: process{session: session}, spec: &Spec{Text: "a spec", Decides: []requirements.ID{"SURGE-001"}}}
	judgement, err := c.finish(t.Context(), history.Ending{Aborted: "harness: open " + session.Artifacts + "/logs: no such file"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(judgement.Outcomes[0].Reason).To(ContainSubstring("open ARTIFACTS/logs: no such file"))
}
