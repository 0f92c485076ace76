package plan_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestFirstRevisionComesBeforeAnyPod(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2)
	w.Revisions = nil
	actions := w.plan()
	revision := actions.CreateRevision
	g.Expect(created(actions)).To(BeEmpty(), "HISTORY-008")
	g.Expect(actions.Status.ObservedGeneration).To(BeZero(), "STATUS-010")
	g.Expect(revision.Revision).To(Equal(int64(1)), "HISTORY-001")
	g.Expect(revision.Name).To(Equal("agent-"+w.hash()), "HISTORY-002")
	g.Expect(revision.Labels).To(Equal(map[string]string{"app": "agent", "controller-revision-hash": w.hash()}), "HISTORY-002")
	g.Expect(metav1.IsControlledBy(revision, w.DaemonSet)).To(BeTrue(), "HISTORY-001")
	g.Expect(string(revision.Data.Raw)).To(MatchJSON(`{"spec": {"template": {"$patch": "replace",
		"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [{"name": "agent", "image": "agent:v1", "resources": {}}]}}}}`), "HISTORY-001")

	w.Revisions = append(w.Revisions, revision)
	actions = w.plan()
	g.Expect(created(actions)).To(HaveLen(2))
	g.Expect(actions.Status.ObservedGeneration).To(Equal(int64(1)))
}

func TestTheNameOfARevisionHasRoomForItsHash(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 0)
	for name, prefix := range map[string]string{
		strings.Repeat("n", 253):                                 strings.Repeat("n", 223),
		strings.Repeat("n", 222) + "." + strings.Repeat("n", 30): strings.Repeat("n", 222),
	} {
		w.DaemonSet.Name = name
		g.Expect(plan.RevisionName(w.DaemonSet)).To(Equal(prefix+"-"+w.hash()), "HISTORY-002")
	}
}

// Pods and revisions in clusters carry these; a change would restart every daemon on the day of the upgrade.
func TestHashStaysWhatItIs(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 0)
	g.Expect(w.hash()).To(Equal("766f7784bd"))
	one := int32(1)
	g.Expect(plan.TemplateHash(&w.DaemonSet.Spec.Template, &one)).To(Equal("6744bd96bf"))
}

func TestUpdateAndRollbackNumberTheCurrentRevisionHighest(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.update("v2")
	w.retemplate("v3")
	g.Expect(w.plan().CreateRevision.Revision).To(Equal(int64(3)), "HISTORY-003")

	w.retemplate("v1")
	actions := w.plan()
	g.Expect(actions.CreateRevision).To(BeNil(), "ROLLBACK-001: the old one serves again")
	g.Expect(actions.UpdateRevisions).To(HaveLen(1))
	g.Expect(actions.UpdateRevisions[0].Revision.Name).To(Equal(w.Revisions[0].Name))
	g.Expect(actions.UpdateRevisions[0].Revision.Revision).To(Equal(int64(3)), "HISTORY-010")
	g.Expect(w.Revisions[0].Revision).To(Equal(int64(1)), "what the cache holds is not changed")
}

func TestRollbackRestartsNoPodOfTheTarget(t *testing.T) {
	for name, surge := range map[string]string{"maxUnavailable": "0", "maxSurge": "1"} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 2)
			if surge != "0" {
				w.surging(surge)
			}
			w.pods(w.ready())
			w.update("v2")
			w.pod("n0")
			w.retemplate("v1")
			actions := w.plan()
			g.Expect(deleted(actions)).To(Equal([]string{"v2-n0-3"}), "ROLLBACK-002, ROLLBACK-003")
			g.Expect(created(actions)).To(BeEmpty(), "ROLLBACK-003")
		})
	}
}

// A take-over from kube-controller-manager: what it wrote is recognised, whatever the encoding and the hash.
func TestRevisionIsRecognisedByItsContent(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	var data map[string]any
	g.Expect(json.Unmarshal(w.Revisions[0].Data.Raw, &data)).To(Succeed())
	data["spec"].(map[string]any)["template"].(map[string]any)["metadata"].(map[string]any)["creationTimestamp"] = nil
	raw, err := json.MarshalIndent(data, "", " ")
	g.Expect(err).NotTo(HaveOccurred())
	w.Revisions[0].Data.Raw = raw
	w.Revisions[0].Name, w.Revisions[0].Labels[plan.HashLabel] = "agent-older", "older"
	pod := w.pod("n0", w.ready())
	pod.Labels[plan.HashLabel] = "older"
	actions := w.plan()
	g.Expect(actions.CreateRevision).To(BeNil())
	g.Expect(deleted(actions)).To(BeEmpty())
}

func TestRevisionDeletedByHandIsRecreatedWithoutRestarts(t *testing.T) {
	for name, label := range map[string]string{"pods with our hash": "", "pods with the hash of another controller version": "older"} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			pod := w.pod("n0", w.ready())
			if label != "" {
				pod.Labels[plan.HashLabel] = label
			}
			w.Revisions = nil
			actions := w.plan()
			g.Expect(actions.CreateRevision.Name).To(Equal("agent-"+w.hash()), "HISTORY-027")
			w.Revisions = append(w.Revisions, actions.CreateRevision)
			g.Expect(deleted(w.plan())).To(BeEmpty(), "HISTORY-027")
		})
	}
}

func TestNameCollisions(t *testing.T) {
	other := func(r *appsv1.ControllerRevision) { r.Data.Raw = []byte(`{}`) }
	orphaned := func(r *appsv1.ControllerRevision) { r.Labels, r.OwnerReferences = nil, nil }
	of := func(name string) func(*appsv1.ControllerRevision) {
		somebody := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "another"}}
		return func(r *appsv1.ControllerRevision) {
			r.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(somebody, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
		}
	}
	type change = func(*appsv1.ControllerRevision)
	for name, c := range map[string]struct {
		changes      []change
		age          time.Duration
		collision    bool
		adopts, pods int
		wait         time.Duration
	}{
		"same content, orphan, not selected: adopted":                   {[]change{orphaned}, 0, false, 1, 0, 0},
		"same content, somebody else's: used":                           {[]change{of("x")}, 0, false, 0, 1, 0},
		"same content, a predecessor's: nothing until it is collected":  {[]change{of("agent")}, time.Second, false, 0, 0, 3 * time.Second},
		"same content, a predecessor's that nobody has collected: used": {[]change{of("agent")}, 5 * time.Second, false, 0, 1, 0},
		"other content, orphan":                                         {[]change{orphaned, other}, 0, true, 0, 0, 0},
		"other content, somebody else's":                                {[]change{of("x"), other}, 0, true, 0, 0, 0},
		"other content, a predecessor's":                                {[]change{of("agent"), other}, 0, true, 0, 0, 0},
		"other content, our own":                                        {[]change{other}, 0, true, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.DaemonSet.CreationTimestamp = metav1.NewTime(w.now.Add(-c.age))
			for _, change := range c.changes {
				change(w.Revisions[0])
			}
			actions := w.plan()
			g.Expect(actions.CreateRevision).To(BeNil())
			g.Expect(actions.CreatePods).To(HaveLen(c.pods), "HISTORY-008")
			adopts := 0
			for _, update := range actions.UpdateRevisions {
				if update.Adopt {
					adopts++
				}
			}
			g.Expect(adopts).To(Equal(c.adopts))
			if !c.collision {
				g.Expect(actions.Status.CollisionCount).To(BeNil(), "HISTORY-005")
				g.Expect(actions.Status.ObservedGeneration).To(Equal(int64(c.pods)), "STATUS-010")
				g.Expect(actions.RequeueAfter).To(Equal(c.wait), "HISTORY-005: it does not wait for ever")
				return
			}
			g.Expect(*actions.Status.CollisionCount).To(Equal(int32(1)), "HISTORY-006")
			w.DaemonSet.Status = *actions.Status
			g.Expect(w.plan().CreateRevision.Name).NotTo(Equal(w.Revisions[0].Name), "HISTORY-006: the next name is another")
		})
	}
}

func TestDuplicatesOfTheCurrentRevision(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	outdated := w.pod("n0", w.ready())
	w.update("v2")
	w.pod("n1", w.ready())
	duplicate := w.Revisions[1].DeepCopy()
	duplicate.Name, duplicate.UID, duplicate.Revision = "agent-twin", "twin", 3
	duplicate.Labels[plan.HashLabel] = "twin"
	w.Revisions = append(w.Revisions, duplicate)
	ofTwin := w.pod("n2", w.ready())
	ofTwin.Labels[plan.HashLabel] = "twin"

	actions := w.plan()
	g.Expect(actions.PatchPods).To(HaveLen(1), "HISTORY-012: not the outdated one, nor the one that is right")
	g.Expect(actions.PatchPods[0].Pod.Name).To(Equal("v2-n1-2"))
	g.Expect(actions.PatchPods[0].Hash).To(Equal("twin"), "HISTORY-011: the highest number stays")
	g.Expect(actions.DeleteRevisions).To(BeEmpty(), "HISTORY-017: a pod carries it until it is relabelled")
	g.Expect(deleted(actions)).To(Equal([]string{outdated.Name}), "and the rollout goes on")

	w.Pods[1].Labels[plan.HashLabel] = "twin"
	actions = w.plan()
	g.Expect(actions.PatchPods).To(BeEmpty())
	g.Expect(actions.DeleteRevisions).To(ConsistOf(w.Revisions[1]), "HISTORY-011")
}

func TestRevisionWithoutLabelGetsTheHashOfItsName(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.pod("n0", w.ready())
	delete(w.Revisions[0].Labels, plan.HashLabel)
	actions := w.plan()
	g.Expect(actions.UpdateRevisions).To(HaveLen(1))
	g.Expect(actions.UpdateRevisions[0].Revision.Labels).To(HaveKeyWithValue(plan.HashLabel, w.hash()), "HISTORY-013")
	g.Expect(deleted(actions)).To(BeEmpty())
	g.Expect(created(actions)).To(BeEmpty())
}

func TestHistoryLimit(t *testing.T) {
	for name, c := range map[string]struct {
		limit int32
		gone  []int
	}{
		"nothing beyond the limit":                  {4, nil},
		"the oldest first, sparing the live one":    {2, []int{0, 2}},
		"limit 0 keeps the current and the live":    {0, []int{0, 2, 3}},
		"only one too many: the oldest":             {3, []int{0}},
		"one too many, and the oldest is not it: 1": {1, []int{0, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 2)
			w.DaemonSet.Spec.RevisionHistoryLimit = &c.limit
			w.update("v2")
			w.pod("n0", ended(corev1.PodFailed), w.terminating()) // of v2: what is live need not be well
			for _, v := range []string{"v3", "v4", "v5"} {
				w.update(v)
			}
			var gone []*appsv1.ControllerRevision
			for _, i := range c.gone {
				gone = append(gone, w.Revisions[i])
			}
			g.Expect(w.plan().DeleteRevisions).To(Equal(gone), "HISTORY-016 to HISTORY-020")
		})
	}
}

func TestWhichPodsAreUpdated(t *testing.T) {
	for name, c := range map[string]struct {
		generation, hash string
		updated          bool
		labelled         bool
	}{
		"current hash":                          {"1", "current", true, false},
		"hash of another revision":              {"1", "other", false, false},
		"another revision, current generation":  {"2", "other", false, false},
		"unknown hash, old generation":          {"1", "unknown", false, false},
		"unknown hash, current generation":      {"2", "unknown", true, false},
		"no hash, current generation":           {"2", "", true, true},
		"no hash, old generation":               {"1", "", false, false},
		"neither":                               {"", "", false, false},
		"current hash, no generation whatsover": {"", "current", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			other := w.hash()
			w.update("v2")
			pod := w.pod("n0", w.ready())
			delete(pod.Labels, plan.HashLabel)
			delete(pod.Labels, plan.GenerationLabel)
			if c.generation != "" {
				pod.Labels[plan.GenerationLabel] = c.generation
			}
			if c.hash != "" {
				pod.Labels[plan.HashLabel] = map[string]string{"current": w.hash(), "other": other, "unknown": "unknown"}[c.hash]
			}
			actions := w.plan()
			g.Expect(actions.DeletePods).To(HaveLen(map[bool]int{true: 0, false: 1}[c.updated]), "HISTORY-022, HISTORY-024, HISTORY-026")
			g.Expect(actions.PatchPods).To(HaveLen(map[bool]int{true: 1, false: 0}[c.labelled]), "HISTORY-023")
			if c.labelled {
				g.Expect(actions.PatchPods[0].Hash).To(Equal(w.hash()), "HISTORY-023")
			}
		})
	}
}

func TestPodsWhoseHistoryAnotherControllerHasTakenAreOutdatedWhateverTheirNumber(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*appsv1.ControllerRevision)
		deleted int
	}{
		"it holds another template":       {func(*appsv1.ControllerRevision) {}, 1},
		"it cannot be read":               {func(taken *appsv1.ControllerRevision) { taken.Data.Raw = []byte("{}") }, 0},
		"it is of another namespace":      {func(taken *appsv1.ControllerRevision) { taken.Namespace = "elsewhere" }, 0},
		"it has not the label of the pod": {func(taken *appsv1.ControllerRevision) { taken.Labels[plan.HashLabel] = "another" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			w.update("v2")
			taken := w.Revisions[0]
			taken.OwnerReferences[0].UID = "another"
			c.change(taken)
			pod := w.pod("n0", w.ready())
			pod.Labels[plan.HashLabel], pod.Labels[plan.GenerationLabel] = strings.TrimPrefix(taken.Name, "agent-"), "2"
			g.Expect(w.plan().DeletePods).To(HaveLen(c.deleted), "HISTORY-022")
		})
	}
}
