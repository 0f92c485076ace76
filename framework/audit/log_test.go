package audit_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

func TestReadingLeavesOutWhatIsCutShortAndWhatIsAboutOthers(t *testing.T) {
	other := strings.Replace(deleted, `"n"`, `"elsewhere"`, 1)
	for name, tt := range map[string]struct {
		log   string
		texts []string
		verbs []string
	}{
		"all":                         {patched + "\n" + deleted + "\n", nil, []string{"patch", "delete"}},
		"nothing":                     {"", nil, nil},
		"a last line cut short":       {patched + "\n" + deleted[:40], nil, []string{"patch"}},
		"a last line without its end": {patched + "\n" + deleted, nil, []string{"patch"}},
		"a first line cut short":      {patched[40:] + "\n" + deleted + "\n", nil, []string{"delete"}},
		"lines about others":          {patched + "\n" + other + "\n", []string{`"s"`, "nothing"}, []string{"patch"}},
	} {
		t.Run(name, func(t *testing.T) {
			events, err := audit.Read(strings.NewReader(tt.log), tt.texts...)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			var verbs []string
			for _, event := range events {
				verbs = append(verbs, event.Verb)
			}
			NewWithT(t).Expect(verbs).To(Equal(tt.verbs))
		})
	}
}

func TestALineThatIsNoEventIsAnError(t *testing.T) {
	_, err := audit.Read(strings.NewReader(patched + "\n{\n" + deleted + "\n"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("line 2")))
}

func TestALongLineIsRead(t *testing.T) {
	long := strings.Replace(deleted, "admin", strings.Repeat("a", 1<<20), 1)
	events, err := audit.Read(strings.NewReader(long + "\n" + patched + "\n"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(events).To(HaveLen(2))
}

func TestAFolderIsReadOverItsRotatedFilesFromAnyPosition(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	log := audit.Folder(folder)
	end, err := log.End(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(end).To(BeZero(), "there is no log yet")
	write := func(name, text string) {
		g.Expect(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)).To(Succeed())
	}
	read := func(position int64) string {
		in, err := log.From(t.Context(), position)
		g.Expect(err).NotTo(HaveOccurred())
		text, err := io.ReadAll(in)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(in.Close()).To(Succeed())
		return string(text)
	}
	write(audit.FileName, "one\n")
	end, err = log.End(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(end).To(BeEquivalentTo(4))
	g.Expect(read(end)).To(BeEmpty())

	// The file goes on, is rotated, and goes on in another.
	write("audit-2026-01-01T12-00-01.000.log", "one\ntwo\n")
	write("audit-2026-01-01T12-00-02.000.log", "three\n")
	write(audit.FileName, "four\n")
	g.Expect(read(end)).To(Equal("two\nthree\nfour\n"))
	g.Expect(read(0)).To(Equal("one\ntwo\nthree\nfour\n"))
	end, err = log.End(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read(end - 2)).To(Equal("r\n"))
}

func TestThePolicyIsAboutWritesToWhatIsRecordedAndNothingElse(t *testing.T) {
	g := NewWithT(t)
	text, err := audit.Policy(workload.Workload{Group: "example.test", Version: "v1", Kind: "Daemon", Resource: "daemons"})
	g.Expect(err).NotTo(HaveOccurred())
	var policy auditv1.Policy
	g.Expect(yaml.UnmarshalStrict(text, &policy)).To(Succeed())
	g.Expect(policy.Kind).To(Equal("Policy"))
	g.Expect(policy.OmitManagedFields).To(BeTrue())
	g.Expect(policy.Rules).To(HaveLen(2))
	g.Expect(policy.Rules[0].Verbs).To(ConsistOf("create", "update", "patch", "delete", "deletecollection"))
	var resources []string
	for _, group := range policy.Rules[0].Resources {
		resources = append(resources, group.Resources...)
	}
	g.Expect(resources).To(ContainElements("pods", "pods/eviction", "pods/binding", "nodes/status", "daemonsets/status", "poddisruptionbudgets", "daemons", "daemons/status"))
	g.Expect(resources).NotTo(ContainElement(BeElementOf("events", "leases", "secrets", "serviceaccounts/token")))
	g.Expect(policy.Rules[1]).To(Equal(auditv1.PolicyRule{Level: auditv1.LevelNone}))
}
