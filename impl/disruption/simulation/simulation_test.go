package simulation

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/impl/disruption"
	"github.com/rollcall-conformance/rollcall/impl/seedtest"
)

// act is one thing that happens, and the time that passes then.
type act struct {
	Kind  string
	Which int
	Limit limit
	Wait  time.Duration
}

// simulation is all that is drawn for one.
type simulation struct {
	setup setup
	acts  []act
}

// kinds has each kind of act as often as it is to come.
func kinds() []string {
	return slices.Concat(
		slices.Repeat([]string{"evict"}, 12), slices.Repeat([]string{"unready", "ready"}, 2),
		[]string{"evict and lose", "scale", "edit", "relabel", "restart", "stay down", "break scales", "bare pod", "delete"},
	)
}

func drawLimit(t *rapid.T) limit {
	return limit{
		Value: rapid.SampledFrom([]string{"0", "1", "2", "4", "9", "0%", "1%", "25%", "50%", "100%"}).Draw(t, "limit"),
		Max:   rapid.Bool().Draw(t, "max"),
	}
}

func drawSetup(t *rapid.T) setup {
	return setup{
		Seed: rapid.Uint64().Draw(t, "seed"), Stateful: rapid.Bool().Draw(t, "stateful"), Limit: drawLimit(t),
		Lag: rapid.SampledFrom([]time.Duration{0, 200 * time.Millisecond, time.Second}).Draw(t, "lag"),
	}
}

func drawActs(t *rapid.T) []act {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
		return act{
			Kind: rapid.SampledFrom(kinds()).Draw(t, "kind"), Which: rapid.IntRange(0, 7).Draw(t, "which"), Limit: drawLimit(t),
			Wait: rapid.SampledFrom([]time.Duration{0, 0, tick, 200 * time.Millisecond, time.Second, 5 * time.Second, 20 * time.Second}).Draw(t, "wait"),
		}
	}), 1, 60).Draw(t, "acts")
}

// play does the act. What is no eviction may excuse one that is granted before the status says so.
func (w *world) play(a act) {
	names := w.api.names()
	name := ""
	if len(names) > 0 {
		name = names[a.Which%len(names)]
	}
	switch a.Kind {
	case "evict", "evict and lose":
		pod := w.api.pods[name]
		if pod == nil || !w.api.isHealthy(name, pod) || pod.Labels["app"] != "web" {
			return
		}
		if w.api.evict(name, a.Kind == "evict and lose") {
			w.judge.evicted(name)
		}
		return
	case "restart":
		w.restart()
		return
	case "stay down":
		w.kill()
		w.pass(a.Wait)
		w.restart()
		return
	case "edit":
		// An eviction is not granted before the generation is observed: this excuses nothing.
		w.api.edit(a.Limit.set)
		return
	case "break scales":
		w.api.broken = !w.api.broken
		return
	}
	w.judge.excused = true
	switch a.Kind {
	case "unready":
		w.api.ready(name, corev1.ConditionFalse)
	case "ready":
		w.api.ready(name, corev1.ConditionTrue)
	case "scale":
		w.api.scales[[]types.UID{"a", "b"}[a.Which%2]] = int32(a.Which)
	case "relabel":
		label := []string{"web", "other"}[a.Which%2]
		w.api.changePod(name, func(pod *corev1.Pod) { pod.Labels = map[string]string{"app": label} })
	case "bare pod":
		w.api.create(fmt.Sprintf("bare-%d", a.Which), "")
	case "delete":
		w.api.delete(name)
	}
}

// live plays the acts, and then lets the controller come to rest. It returns what is to be objected to.
func (w *world) live(acts []act) []string {
	w.pass(10 * time.Second)
	for _, a := range acts {
		w.play(a)
		w.pass(a.Wait)
		if len(w.judge.objections) > 0 {
			return w.judge.objections
		}
	}
	// The slowest that there is: an eviction that was lost, then a scale that nothing tells of.
	w.rest(2*time.Minute + 10*time.Second)
	w.rest(time.Minute + 10*time.Second)
	w.judge.rested()
	w.judge.still = true
	w.rest(3 * time.Minute)
	return w.judge.objections
}

func reference() disruption.Options { return disruption.Options{} }

func TestMain(m *testing.M) { os.Exit(seedtest.Main(m.Run)) }

func TestTheControllerKeepsEveryPromise(t *testing.T) {
	granted, written := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, acts := drawSetup(t), drawActs(t)
		w := newWorld(s, reference)
		if objections := w.live(acts); len(objections) > 0 {
			t.Fatalf("%s\n%+v\n%+v", strings.Join(objections, "\n"), s, acts)
		}
		granted, written = granted+w.judge.granted, written+w.judge.written
	})
	t.Logf("%d evictions were granted, and %d statuses written", granted, written)
	if !t.Failed() && (granted == 0 || written == 0) {
		t.Error("nothing was put to the test")
	}
}
