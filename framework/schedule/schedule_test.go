package schedule_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

func TestAScheduleIsOfItsSeed(t *testing.T) {
	t.Parallel()
	if a, b := schedule.Draw(7, schedule.Levers()), schedule.Draw(7, schedule.Levers()); !reflect.DeepEqual(a, b) {
		t.Errorf("one seed, two schedules:\n%s\n%s", a, b)
	}
	if a, b := schedule.Draw(7, schedule.Levers()), schedule.Draw(8, schedule.Levers()); reflect.DeepEqual(a, b) {
		t.Errorf("two seeds, one schedule:\n%s", a)
	}
}

func TestEveryLeverComesUpAndIsLeftOut(t *testing.T) {
	t.Parallel()
	with := map[string]int{}
	const schedules = 200
	for seed := range uint64(schedules) {
		var acts []string
		for _, step := range schedule.Draw(seed, schedule.Levers()).Steps {
			if !slices.Contains(acts, step.Act) {
				acts = append(acts, step.Act)
				with[step.Act]++
			}
		}
	}
	for _, lever := range schedule.Levers() {
		if n := with[lever.Act]; n == 0 || n == schedules && lever.Act != schedule.Update {
			t.Errorf("%s is in %d of %d schedules", lever.Act, n, schedules)
		}
	}
}

func TestTheTextIsTheSchedule(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		want := schedule.Draw(seed, schedule.Levers())
		want.Title = "what it shows"
		for i, kind := range schedule.FaultKinds("update")[:seed%3] {
			want.Faults = append(want.Faults, schedule.Fault{Verb: "update", Resource: "daemonsets/status", Number: i + 1, Kind: kind})
		}
		got, err := schedule.Parse(want.String(), schedule.Levers())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%s\nread as\n%s", err, want, got)
		}
	}
}

func TestAFormIsWrittenOnce(t *testing.T) {
	t.Parallel()
	for _, form := range schedule.Forms() {
		plain := &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Name: "daemon"},
			Spec: appsv1.DaemonSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "daemon"}},
				UpdateStrategy: appsv1.DaemonSetUpdateStrategy{RollingUpdate: &appsv1.RollingUpdateDaemonSet{
					MaxSurge: ptr.To(intstr.FromInt32(0)), MaxUnavailable: ptr.To(intstr.FromInt32(1)),
				}},
			},
		}
		once := plain.DeepCopy()
		form.Write(once)
		if same := reflect.DeepEqual(plain, once); same != (form.Name == "") {
			t.Errorf("form %q: the DaemonSet is the plain one: %t", form.Name, same)
		}
		twice := once.DeepCopy()
		form.Write(twice)
		if !reflect.DeepEqual(once, twice) {
			t.Errorf("form %q: written again it is\n%+v\nand before\n%+v", form.Name, twice, once)
		}
	}
}

func TestWhatIsNoScheduleIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                      "no act",
		"nodes 5":                               "no act",
		"nodes 0":                               `line 1: "0": want a number from 1 to 50`,
		"node 5":                                `line 1: "node": want nodes, strategy, minReadySeconds, form, late, fault or after`,
		"minReadySeconds -1":                    `want a number from 0 to 60`,
		"strategy maxSurge 1":                   `want OnDelete, or such as "maxSurge 25%, maxUnavailable 0"`,
		"strategy maxSurge 0, maxUnavailable 0": "one of them 0",
		"strategy maxSurge x, maxUnavailable 0": "one of them 0",
		"form plain":                            `line 1: form "plain": there are percentages, terms, `,
		"# title\nafter 1s: update":             "line 2",
		"after 1h: update (0, 0)":               `"1h": want a time from 0s to 1m0s`,
		"after 1s: dance (0, 0)":                `act "dance": there are update; `,
		"fault at pods 1: lose the answer":      `want such as "fault at create pods 1: lose the answer"`,
		"late pods":                             `want such as "late 500ms: pods"`,
		"late 0s: pods":                         `"0s": want a time of more than 0s`,
		"late 1s: pods, secrets":                `late "secrets": there are controllerrevisions, `,
		"fault at create pods 0: lose the answer":    `"0": want the number of a write`,
		"fault at create pods 1: answer 409":         `fault "answer 409": at create there are kill the controller after it; `,
		"after 1s: update (99999999999999999999, 0)": "out of range",
	} {
		if _, err := schedule.Parse(text, schedule.Levers()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestMinimizeFindsWhatMatters leaves everything out but three steps, in whatever place they are, and keeps their times.
func TestMinimizeFindsWhatMatters(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		drawn := schedule.Draw(seed, []schedule.Lever{{Act: schedule.Update, Weight: 1}})
		for i, place := range []int{int(seed) % 3, 4, 9} {
			drawn.Steps[place].Act, drawn.Steps[place].A = "matters", i
		}
		shows := func(s schedule.Schedule) bool {
			next := 0
			for _, step := range s.Steps {
				if step.Act == "matters" && step.A == next {
					next++
				}
			}
			return next == 3
		}
		tried := 0
		got := schedule.Minimize(drawn, func(candidates []schedule.Schedule) (int, bool) {
			tried += len(candidates)
			return slices.IndexFunc(candidates, shows), true
		})
		if len(got.Steps) != 3 || !shows(got) {
			t.Errorf("seed %d: left\n%s", seed, got)
		}
		if tried > 300 {
			t.Errorf("seed %d: %d candidates tried", seed, tried)
		}
	}
}

func TestMinimizeStopsWhenTimeIsOver(t *testing.T) {
	t.Parallel()
	drawn := schedule.Draw(1, schedule.Levers())
	rounds := 0
	got := schedule.Minimize(drawn, func([]schedule.Schedule) (int, bool) {
		rounds++
		return -1, rounds < 2
	})
	if rounds != 2 || !reflect.DeepEqual(got, drawn) {
		t.Errorf("%d rounds, left\n%s", rounds, got)
	}
}
