package judge_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// story is a history told in words.
type story struct {
	name  string
	write func(b *historytest.Builder)
}

// long is more than enough for anybody to know, and for pods to be available.
const long = 20 * time.Second

// keeps asserts that the stories keep the judge's promise and put it to the test, and break nobody else's either.
func keeps(t *testing.T, j judge.Judge, stories ...story) {
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

// ignores asserts that the stories do not put the judge's promise to the test, and break nobody's.
func ignores(t *testing.T, j judge.Judge, stories ...story) {
	t.Helper()
	for _, story := range stories {
		t.Run("vacuous: "+story.name, func(t *testing.T) {
			if verdict := lawful(t, j, story); verdict.Exercised {
				t.Errorf("%s claims to have been put to the test", j.Requirement)
			}
		})
	}
}

func lawful(t *testing.T, j judge.Judge, story story) judge.Verdict {
	t.Helper()
	b := historytest.New(t)
	story.write(b)
	verdicts := judge.Run(b.History(), judge.All())
	for _, violation := range verdicts.Violations() {
		t.Errorf("lawful history judged: %v\nbefore: %s\nafter: %s", violation, violation.Before, violation.After)
	}
	return verdictOf(t, verdicts, j)
}

// breaks asserts that in each story the last event, and no other, breaks the judge's promise.
func breaks(t *testing.T, j judge.Judge, stories ...story) {
	t.Helper()
	for _, story := range stories {
		t.Run("broken: "+story.name, func(t *testing.T) {
			b := historytest.New(t)
			story.write(b)
			verdict := verdictOf(t, judge.Run(b.History(), []judge.Judge{j}), j)
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

func verdictOf(t *testing.T, verdicts judge.Verdicts, j judge.Judge) judge.Verdict {
	t.Helper()
	verdict, ok := verdicts.Of(j.Requirement)
	if !ok {
		t.Fatalf("no verdict on %s", j.Requirement)
	}
	return verdict
}

// running is a DaemonSet "agent" whose pods of v1 have long been available on all of n nodes.
func running(b *historytest.Builder, n int, options ...historytest.Option) (*historytest.DaemonSet, []*historytest.Pod) {
	b.Nodes(n)
	ds := b.DaemonSet("agent", options...)
	pods := make([]*historytest.Pod, n)
	for i := range pods {
		pods[i] = ds.Pod("old-"+letter(i), node(i)).Ready()
	}
	b.After(long)
	return ds, pods
}

func node(i int) string { return "node-" + string(rune('1'+i)) }

func letter(i int) string { return string(rune('a' + i)) }

func tolerating(key string) historytest.Option {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Tolerations = append(ds.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

func labelled(key, value string) historytest.Option {
	return func(ds *appsv1.DaemonSet) { metav1.SetMetaDataLabel(&ds.Spec.Template.ObjectMeta, key, value) }
}

func unlabelled(key string) historytest.Option {
	return func(ds *appsv1.DaemonSet) { delete(ds.Spec.Template.Labels, key) }
}
