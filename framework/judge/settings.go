package judge

import (
	"iter"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Settings are what a DaemonSet asks of its rollout, in numbers of nodes.
type Settings struct {
	// Rolling: the strategy is RollingUpdate.
	Rolling bool
	// Surging and Yielding: maxSurge and maxUnavailable are other than zero, whatever they come to.
	Surging, Yielding bool
	// Surge and Unavailable are the limits, percentages rounded up (SURGE-003, ROLLING-003).
	Surge, Unavailable int
	// MinReady is minReadySeconds, Template the number of the template: see history.Cluster.RevisionOf.
	MinReady int32
	Template int
	// InPlace: old pods are to be patched where nothing but images differs.
	InPlace bool
}

// ZeroDowntime reports whether a node may lose its available pod only to another one.
func (s Settings) ZeroDowntime() bool { return s.Rolling && s.Surging && !s.Yielding }

// settingsOf reads the settings of ds. Without surge maxSurge is zero, whatever it says (GATE-002).
func settingsOf(ds *appsv1.DaemonSet, desired, template int, inPlace, surge bool) Settings {
	s := Settings{MinReady: ds.Spec.MinReadySeconds, Template: template, InPlace: inPlace}
	if ds.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		return s
	}
	s.Rolling = true
	one := intstr.FromInt32(1)
	maxSurge, maxUnavailable := (*intstr.IntOrString)(nil), &one
	if rolling := ds.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		if surge {
			maxSurge = rolling.MaxSurge
		}
		if rolling.MaxUnavailable != nil {
			maxUnavailable = rolling.MaxUnavailable
		}
	}
	s.Surging, s.Surge = resolve(maxSurge, desired)
	s.Yielding, s.Unavailable = resolve(maxUnavailable, desired)
	if !s.Surging && !s.Yielding {
		// The API refuses it, since no rollout could ever proceed; where it got in all the same, or without surge, one at a time is what
		// remains (GATE-003).
		s.Yielding, s.Unavailable = true, 1
	}
	return s
}

// resolve reports whether a limit is other than zero and how many of the nodes it allows. A limit that cannot be parsed allows everything:
// the API server would not have let it in.
func resolve(limit *intstr.IntOrString, desired int) (bool, int) {
	if limit == nil {
		return false, 0
	}
	hundred, err := intstr.GetScaledValueFromIntOrPercent(limit, 100, true)
	if err != nil {
		return true, desired
	}
	number, err := intstr.GetScaledValueFromIntOrPercent(limit, desired, true)
	if err != nil {
		return true, desired
	}
	return hundred > 0, number
}

// bothSettings are what a DaemonSet asks for with the feature gate surgeGate, and without it. They are kept together, since an implementation that was
// just started with another gate may still act by a number of nodes, or a spec, from before.
type bothSettings struct{ with, without Settings }

func (b bothSettings) under(surge bool) Settings {
	if surge {
		return b.with
	}
	return b.without
}

// pastSettings are settings that are no longer in force.
type pastSettings struct {
	bothSettings
	until time.Time
}

// remember takes note of the settings in force from now on.
func (w *Workload) remember(s bothSettings, now time.Time) {
	if s != w.settings {
		w.past = slices.DeleteFunc(w.past, func(past pastSettings) bool { return !w.news.lately(past.until, now) })
		w.past = append(w.past, pastSettings{w.settings, now})
	}
	w.settings, w.Settings = s, s.under(w.surge)
}

// switchGate takes note of the feature gate in force from now on, and whether the implementation is just being started with it.
func (w *Workload) switchGate(surge, switching bool, now time.Time) {
	if w.switching || surge != w.surge {
		w.switchedAt = now
	}
	w.surge, w.switching = surge, switching
	w.Settings = w.settings.under(surge)
}

// Recent yields the settings by which the implementation may be acting: those in force, those that were until less than Lag ago, and each of them also
// with the other feature gate, if it had that until less than Lag ago.
func (w *Workload) Recent(now time.Time) iter.Seq[Settings] {
	other := w.switching || w.news.lately(w.switchedAt, now)
	return func(yield func(Settings) bool) {
		if !yield(w.Settings) || other && !yield(w.settings.under(!w.surge)) {
			return
		}
		for _, past := range w.past {
			if !w.news.lately(past.until, now) {
				continue
			}
			if !yield(past.under(w.surge)) || other && !yield(past.under(!w.surge)) {
				return
			}
		}
	}
}

// MinReady returns the smallest and the largest minReadySeconds by which the implementation may be acting.
func (w *Workload) MinReady(now time.Time) (low, high int32) {
	low, high = w.Settings.MinReady, w.Settings.MinReady
	for s := range w.Recent(now) {
		low, high = min(low, s.MinReady), max(high, s.MinReady)
	}
	return low, high
}

// Always reports whether all settings by which the implementation may be acting have the property.
func (w *Workload) Always(now time.Time, property func(Settings) bool) bool {
	for s := range w.Recent(now) {
		if !property(s) {
			return false
		}
	}
	return true
}

// Largest returns the largest limit by which the implementation may be acting, and whether there is any.
func (w *Workload) Largest(now time.Time, limit func(Settings) (bool, int)) (int, bool) {
	most, found := 0, false
	for s := range w.Recent(now) {
		if set, number := limit(s); set {
			most, found = max(most, number), true
		}
	}
	return most, found
}

// SurgeLimit is maxSurge, where it bounds anything.
func SurgeLimit(s Settings) (bool, int) { return s.Rolling && s.Surging, s.Surge }

// UnavailableLimit is maxUnavailable, where it bounds anything.
func UnavailableLimit(s Settings) (bool, int) { return s.Rolling && s.Yielding, s.Unavailable }
