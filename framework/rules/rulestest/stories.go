// Package rulestest tests rules with histories that are written by hand. Nothing in it runs against a cluster.
package rulestest

import (
	"reflect"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

// Story is a history told in words: see Tell.
type Story struct {
	name  string
	write func(b *historytest.Builder)
}

// Tell returns the story that the function writes.
func Tell(name string, write func(b *historytest.Builder)) Story { return Story{name, write} }

// Long is more than enough for anybody to know, and for pods to be available.
const Long = 20 * time.Second

// Keeps asserts that the stories keep the rule's promise and put it to the test, and break nobody else's either.
func Keeps(t *testing.T, j judge.Rule, stories ...Story) {
	t.Helper()
	for _, story := range stories {
		t.Run("lawful: "+story.name, func(t *testing.T) {
			verdict := lawful(t, j, story)
			if !verdict.Exercised {
				t.Errorf("%s was not put to the test", j.Requirement)
			}
		})
	}
}

// Ignores asserts that the stories do not put the rule's promise to the test, and break nobody's.
func Ignores(t *testing.T, j judge.Rule, stories ...Story) {
	t.Helper()
	for _, story := range stories {
		t.Run("vacuous: "+story.name, func(t *testing.T) {
			if verdict := lawful(t, j, story); verdict.Exercised {
				t.Errorf("%s claims to have been put to the test", j.Requirement)
			}
		})
	}
}

func lawful(t *testing.T, j judge.Rule, story Story) judge.Verdict {
	t.Helper()
	b := historytest.New(t)
	story.write(b)
	verdicts := judged(t, b.History(), Standing(j))
	for _, violation := range verdicts.Violations() {
		t.Errorf("lawful history judged: %v\nbefore: %s\nafter: %s", violation, violation.Before, violation.After)
	}
	return VerdictOf(t, verdicts, j)
}

// judged judges the history, and asserts that it is judged alike while it is made.
func judged(t *testing.T, h *history.History, all []judge.Rule) judge.Verdicts {
	t.Helper()
	verdicts := judge.Run(h, all)
	live := judge.NewLive(h.Header, all)
	for _, standstill := range h.Standstills {
		live.Standstill(standstill)
	}
	times := h.Times()
	for i, entry := range h.Entries {
		live.See(entry, times[i])
	}
	if got, want := live.Violations(), verdicts.Violations(); len(h.Gaps) == 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("while it is made the history breaks %v, and afterwards %v", got, want)
	}
	return verdicts
}

// Standing are the rule and all prohibitions. A story leaves out what it is not about: for other obligations nothing would be done in it.
func Standing(j judge.Rule) []judge.Rule {
	return slices.DeleteFunc(rules.All(), func(other judge.Rule) bool {
		return other.Kind == judge.Obligation && other.Requirement != j.Requirement
	})
}

// Breaks asserts that in each story the last event, and no other, breaks the rule's promise.
func Breaks(t *testing.T, j judge.Rule, stories ...Story) {
	t.Helper()
	for _, story := range stories {
		t.Run("broken: "+story.name, func(t *testing.T) {
			b := historytest.New(t)
			story.write(b)
			verdict := VerdictOf(t, judged(t, b.History(), []judge.Rule{j}), j)
			if verdict.Outcome != judge.Broken || len(verdict.Violations) != 1 {
				t.Fatalf("%s %s, exercised %t, violations %v, want one", j.Requirement, verdict.Outcome, verdict.Exercised, verdict.Violations)
			}
			violation := verdict.Violations[0]
			t.Log(violation)
			if violation.ResourceVersion != b.Version() {
				t.Errorf("broken at resourceVersion %d, want the last, %d", violation.ResourceVersion, b.Version())
			}
			if violation.Got == "" || violation.Requirement != j.Requirement || violation.Promise != j.Promise || violation.Time.IsZero() {
				t.Errorf("violation lacks something: %+v", violation)
			}
			window := violation.Window
			if len(window) == 0 || len(window) > 12 || window[len(window)-1].ResourceVersion != violation.ResourceVersion {
				t.Errorf("window of %d entries, want 1 to 12, the breaking one last", len(window))
			}
			for i := range window {
				if i > 0 && window[i-1].ResourceVersion > window[i].ResourceVersion {
					t.Errorf("window out of order at %d", i)
				}
			}
		})
	}
}

// Omits asserts that in each story something that the rule asks for is not done, once, and that it is found at the deadline.
func Omits(t *testing.T, j judge.Rule, stories ...Story) {
	t.Helper()
	for _, story := range stories {
		t.Run("omitted: "+story.name, func(t *testing.T) {
			b := historytest.New(t)
			story.write(b)
			h := b.History()
			verdict := VerdictOf(t, judged(t, h, []judge.Rule{j}), j)
			if verdict.Outcome != judge.Broken || len(verdict.Violations) != 1 {
				t.Fatalf("%s %s, exercised %t, violations %v, want one", j.Requirement, verdict.Outcome, verdict.Exercised, verdict.Violations)
			}
			violation := verdict.Violations[0]
			t.Log(violation)
			if violation.Got == "" || violation.Requirement != j.Requirement || len(violation.Window) == 0 || !violation.Time.Before(b.Now()) {
				t.Errorf("violation lacks something: %+v", violation)
			}
			last := violation.Window[len(violation.Window)-1]
			if last.Time.After(violation.Time) || last.ResourceVersion > violation.ResourceVersion {
				t.Errorf("the window ends at %s, after the deadline %s", last.Time, violation.Time)
			}
		})
	}
}

// VerdictOf returns the verdict of the rule among others.
func VerdictOf(t *testing.T, verdicts judge.Verdicts, j judge.Rule) judge.Verdict {
	t.Helper()
	verdict, ok := verdicts.Of(j.Requirement)
	if !ok {
		t.Fatalf("no verdict on %s", j.Requirement)
	}
	return verdict
}

// Running is a DaemonSet "agent" whose pods of v1 have long been available on all of n nodes.
func Running(b *historytest.Builder, n int, options ...historytest.Option) (*historytest.DaemonSet, []*historytest.Pod) {
	b.Nodes(n)
	ds := b.DaemonSet("agent", options...)
	pods := make([]*historytest.Pod, n)
	for i := range pods {
		pods[i] = ds.Pod("old-"+Letter(i), NodeName(i)).Ready()
	}
	b.After(Long)
	return ds, pods
}

// NodeName is the name of the node with that index, from 0.
func NodeName(i int) string { return "node-" + string(rune('1'+i)) }

// Letter names the index, from 0.
func Letter(i int) string { return string(rune('a' + i)) }

// Tolerating adds a toleration to the template.
func Tolerating(key string) historytest.Option {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Tolerations = append(ds.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

// Labelled adds a label to the template.
func Labelled(key, value string) historytest.Option {
	return func(ds *appsv1.DaemonSet) { metav1.SetMetaDataLabel(&ds.Spec.Template.ObjectMeta, key, value) }
}

// Unlabelled takes a label off the template.
func Unlabelled(key string) historytest.Option {
	return func(ds *appsv1.DaemonSet) { delete(ds.Spec.Template.Labels, key) }
}

// Name of the story.
func (s Story) Name() string { return s.name }

// Write writes the story.
func (s Story) Write(b *historytest.Builder) { s.write(b) }
