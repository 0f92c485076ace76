package plan_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/seedtest"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// simulation draws a schedule: who acts next, and how much of a plan is carried out before the controller is killed.
type simulation struct {
	*world
	t     *rapid.T
	surge bool
	// calm: no template changes, so that only moves cost pods.
	calm bool
}

// step lets somebody act.
func (s *simulation) step() {
	switch rapid.IntRange(0, 3).Draw(s.t, "who") {
	case 0:
		writes := s.writes()
		for i, write := range writes {
			write()
			s.check()
			if rapid.IntRange(0, 2).Draw(s.t, "killed") == 0 && i+1 < len(writes) {
				s.written = map[types.UID]plan.Written{}
				return
			}
		}
	case 1:
		s.daemonSet(rapid.SampledFrom(slices.Sorted(maps.Keys(s.sets))).Draw(s.t, "DaemonSet"))
	case 2:
		s.kubelet(rapid.SampledFrom(slices.Sorted(maps.Keys(s.nodes))).Draw(s.t, "node"))
	case 3:
		s.now = s.now.Add(time.Second)
	}
	s.check()
}

// check is what holds at every instant.
func (s *simulation) check() {
	out := 0
	for name := range s.nodes {
		pods := s.podsOn(name)
		if !s.calm {
			// A rollout that is changed under way leaves pods that terminate beside others.
			pods = slices.DeleteFunc(pods, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
		}
		most := 1
		if s.surge {
			most = 2
		}
		if s.surge && !s.calm {
			// The home member may roll out beside the incoming one.
			most = 3
		}
		if len(pods) > most {
			s.t.Fatalf("node %s has %d pods: %s", name, len(pods), told(pods))
		}
		if !slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return daemons.IsAvailable(pod, 0, s.now) }) {
			out++
		}
	}
	if s.calm && s.surge && out > 0 {
		s.t.Fatalf("%d nodes are out, and maxUnavailable is 0", out)
	}
	if s.calm && out > 1 {
		s.t.Fatalf("%d nodes are out, and maxUnavailable is 1", out)
	}
}

// settle goes round until nobody has anything to do.
func (s *simulation) settle() {
	for range 400 {
		before := encoded([]any{s.united, s.sets, s.nodes, s.pods, s.revisions})
		for _, write := range s.writes() {
			write()
			s.check()
		}
		for _, name := range slices.Sorted(maps.Keys(s.sets)) {
			s.daemonSet(name)
			s.check()
		}
		for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
			s.kubelet(name)
			s.check()
		}
		s.now = s.now.Add(time.Second)
		if before == encoded([]any{s.united, s.sets, s.nodes, s.pods, s.revisions}) {
			return
		}
	}
	s.t.Fatalf("nothing settles")
}

func told(pods []*corev1.Pod) string {
	var all []string
	for _, pod := range pods {
		all = append(all, fmt.Sprintf("%s of %s, %s, terminating %t", pod.Name, pod.OwnerReferences[0].Name, pod.Spec.Containers[0].Image, pod.DeletionTimestamp != nil))
	}
	return strings.Join(all, "; ")
}

// images are what every node runs, and by which pod.
func (s *simulation) images() (images map[string]string, uids map[string]types.UID) {
	images, uids = map[string]string{}, map[string]types.UID{}
	for name := range s.nodes {
		pods := s.podsOn(name)
		if len(pods) != 1 || !daemons.IsAvailable(pods[0], 0, s.now) {
			s.t.Fatalf("node %s has %d pods in the end", name, len(pods))
		}
		images[name], uids[name] = pods[0].Spec.Containers[0].Image, pods[0].UID
	}
	return images, uids
}

// expected is what every node should run, read from the spec.
func (s *simulation) expected() map[string]string {
	images := map[string]string{}
	for name := range s.nodes {
		images[name] = s.target().Spec.Template.Spec.Containers[0].Image
		if s.united == nil {
			continue
		}
		for _, subset := range s.united.Spec.Subsets {
			if slices.Contains(subset.Selector.Names, name) {
				if subset.Patch.Template != nil {
					images[name] = tagOf(subset)
				}
				break
			}
		}
	}
	return images
}

func tagOf(subset api.Subset) string { return "of-" + subset.Name }

// draw draws subsets with nodes.
func (s *simulation) draw() []api.Subset {
	var subsets []api.Subset
	nodes := slices.Sorted(maps.Keys(s.nodes))
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(s.t, "subsets") {
		patch := image("of-" + name)
		if rapid.IntRange(0, 4).Draw(s.t, "patched") == 0 {
			patch = api.Patch{}
		}
		subsets = append(subsets, named(name, patch, rapid.SliceOfNDistinct(rapid.SampledFrom(nodes), 1, len(nodes), rapid.ID).Draw(s.t, "nodes")...))
	}
	return subsets
}

func start(t *rapid.T, calm bool) *simulation {
	surge := rapid.Bool().Draw(t, "surge")
	strategy := rolling(0, 1)
	if surge {
		strategy = rolling(1, 0)
	}
	s := &simulation{world: newWorld(4, strategy), t: t, surge: surge}
	s.settle()
	s.calm = calm
	return s
}

func (s *simulation) steps() {
	for range rapid.IntRange(0, 60).Draw(s.t, "steps") {
		s.step()
	}
}

func TestMain(m *testing.M) { os.Exit(seedtest.Main(m.Run)) }

func TestMovesNeverCostMoreThanTheStrategyAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := start(t, true)
		original := s.target().Spec
		_, first := s.images()
		touched := map[string]bool{}
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			// A patch that changes rolls its subset out, which may coincide with a move.
			s.unite(s.same(s.draw())...)
			for name, tag := range s.expected() {
				touched[name] = touched[name] || tag != "v1"
			}
			s.steps()
			s.relabel()
			s.steps()
		}
		s.settle()
		s.labelled()
		if images, _ := s.images(); !maps.Equal(images, s.expected()) {
			t.Fatalf("nodes run %v, want %v", images, s.expected())
		}
		if s.target().Annotations[plan.StrategyAnnotation] != "" || encoded(s.target().Spec.UpdateStrategy) != encoded(original.UpdateStrategy) {
			t.Fatalf("the strategy was not given back: %v", s.target())
		}
		s.separate()
		s.steps()
		s.settle()
		s.ended(original, first, touched)
	})
}

// relabel edits the labels of the DaemonSet of a subset by hand, if there is one.
func (s *simulation) relabel() {
	sets := slices.DeleteFunc(slices.Sorted(maps.Keys(s.sets)), func(name string) bool { return name == s.target().Name })
	if len(sets) == 0 {
		return
	}
	ds := s.sets[rapid.SampledFrom(sets).Draw(s.t, "relabelled")].DeepCopy()
	for key := range ds.Labels {
		ds.Labels[key] = "edited"
	}
	s.update(ds)
}

// labelled asks that every subset's DaemonSet has the labels of its subset: UNITED-041.
func (s *simulation) labelled() {
	for name, ds := range s.sets {
		if name != s.target().Name && (ds.Labels[plan.DaemonSetLabel] != name || ds.Labels[plan.SubsetLabel] == "edited") {
			s.t.Fatalf("DaemonSet %s keeps labels %v", name, ds.Labels)
		}
	}
}

// same gives the subsets patches that are the same in every edit of the run.
func (s *simulation) same(subsets []api.Subset) []api.Subset {
	for i := range subsets {
		subsets[i].Patch = image(tagOf(subsets[i]))
	}
	return subsets
}

// ended asks for what is left when the UnitedDaemonSet is gone: everything as it was before, and pods of nodes that no subset ever had untouched.
func (s *simulation) ended(original appsv1.DaemonSetSpec, first map[string]types.UID, touched map[string]bool) {
	if s.united != nil || len(s.sets) != 1 || encoded(s.target().Spec) != encoded(original) || len(s.target().Annotations) > 0 {
		s.t.Fatalf("left behind: %s, %s", encoded(s.united), encoded(s.sets))
	}
	images, last := s.images()
	for name, node := range s.nodes {
		if len(node.Labels) != 1 {
			s.t.Fatalf("node %s keeps labels %v", name, node.Labels)
		}
		if images[name] != s.target().Spec.Template.Spec.Containers[0].Image {
			s.t.Fatalf("node %s runs %s", name, images[name])
		}
		if !touched[name] && first[name] != last[name] {
			s.t.Fatalf("the pod of node %s, which no subset had, was restarted", name)
		}
	}
}

func TestEverythingSettlesWhateverIsEdited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := start(t, false)
		for i := range rapid.IntRange(1, 4).Draw(t, "edits") {
			switch rapid.IntRange(0, 4).Draw(t, "edit") {
			case 0:
				target := s.target().DeepCopy()
				target.Spec.Template.Spec.Containers[0].Image = fmt.Sprintf("v%d", i+2)
				s.update(target)
			case 1:
				name := rapid.SampledFrom(slices.Sorted(maps.Keys(s.nodes))).Draw(t, "labelled")
				node := s.nodes[name].DeepCopy()
				delete(node.Labels, plan.KeysOf(namespace, "daemon").Home)
				s.nodes[name] = node
			case 2:
				s.relabel()
			default:
				s.unite(s.draw()...)
			}
			s.steps()
		}
		s.settle()
		if images, _ := s.images(); !maps.Equal(images, s.expected()) {
			t.Fatalf("nodes run %v, want %v", images, s.expected())
		}
		if s.united == nil {
			return
		}
		_, before := s.images()
		s.unite(s.united.Spec.Subsets...)
		s.settle()
		if _, after := s.images(); !maps.Equal(before, after) {
			t.Fatalf("an edit of nothing restarts pods: %v, then %v", before, after)
		}
		s.separate()
		s.steps()
		s.settle()
		if s.united != nil || len(s.sets) != 1 || len(s.target().Annotations) > 0 {
			t.Fatalf("left behind: %s, %s", encoded(s.united), encoded(s.sets))
		}
		s.images()
	})
}
