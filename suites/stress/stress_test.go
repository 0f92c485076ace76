package stress

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

func TestEveryLeverIsAnAct(t *testing.T) {
	g := NewWithT(t)
	all := acts()
	for _, lever := range schedule.Levers() {
		g.Expect(all).To(HaveKey(lever.Act))
		delete(all, lever.Act)
	}
	g.Expect(all).To(BeEmpty(), "every act is a lever's")
}

func TestWhatIsDoneToTheImplementationIsOnTheController(t *testing.T) {
	g := NewWithT(t)
	onIt := controllerActs()
	for act := range acts() {
		_, want := onIt[act]
		g.Expect(schedule.Schedule{Steps: schedule.Steps{{Act: schedule.Update}, {Act: act}}}.OnController()).To(Equal(want), act)
	}
	g.Expect(schedule.Schedule{Faults: make([]schedule.Fault, 1)}.OnController()).To(BeTrue())
	g.Expect(schedule.Schedule{Late: schedule.Late{By: schedule.LateBy, Resources: []string{"pods"}}}.OnController()).To(BeTrue())
}

func TestEveryMisfortuneHasAnEffect(t *testing.T) {
	g := NewWithT(t)
	all := effects()
	for _, name := range schedule.FaultKinds("update") {
		g.Expect(all).To(HaveKey(name))
		delete(all, name)
	}
	g.Expect(all).To(BeEmpty(), "every effect is that of a misfortune")
}

func TestAnExploredScheduleIsKnownByItsScenario(t *testing.T) {
	g := NewWithT(t)
	// A scenario is called by the family and the text of its spec.
	g.Expect(NameOf("Stress " + Exploring + "0007")).To(Equal("0007"))
	g.Expect(Explored("Stress " + Exploring + "0007").Text).To(Equal("Stress explores schedule 0007"))
	g.Expect(Explored("Stress breaks no promise")).To(BeNil())
}

func TestTheCorpusSaysWhatEachScheduleShows(t *testing.T) {
	g := NewWithT(t)
	titles := map[string]bool{}
	for _, s := range corpus() {
		g.Expect(s.Title).NotTo(BeEmpty())
		g.Expect(titles).NotTo(HaveKey(s.Title))
		titles[s.Title] = true
	}
}

func TestSchedulesAreGivenByAFolder(t *testing.T) {
	g := NewWithT(t)
	t.Setenv(FolderVariable, "")
	g.Expect(Given()).To(BeEmpty())
	folder := t.TempDir()
	t.Setenv(FolderVariable, folder)
	drawn := schedule.Draw(3, schedule.Levers())
	path := filepath.Join(folder, "one"+Extension)
	g.Expect(os.WriteFile(path, []byte(drawn.String()), 0o600)).To(Succeed())
	g.Expect(Given()).To(Equal(map[string]schedule.Schedule{"one": drawn}))
	g.Expect(os.WriteFile(path, []byte("nodes many"), 0o600)).To(Succeed())
	_, err := Given()
	g.Expect(err).To(MatchError(ContainSubstring(path + ": line 1")))
}
