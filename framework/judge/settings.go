package judge

import (
	"iter"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// settings are what a DaemonSet asks of its rollout, in numbers of nodes.
type settings struct {
	// rolling: the strategy is RollingUpdate.
	rolling bool
	// surging and yielding: maxSurge and maxUnavailable are other than zero, whatever they come to.
	surging, yielding bool
	// surge and unavailable are the limits, percentages rounded up (SURGE-003, ROLLING-003).
	surge, unavailable int
	minReady           int32
	template           int
}

// zeroDowntime tells whether a node may lose its available pod only to another one.
func (s settings) zeroDowntime() bool { return s.rolling && s.surging && !s.yielding }

func settingsOf(ds *appsv1.DaemonSet, desired, template int) settings {
	s := settings{minReady: ds.Spec.MinReadySeconds, template: template}
	if ds.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		return s
	}
	s.rolling = true
	one := intstr.FromInt32(1)
	maxSurge, maxUnavailable := (*intstr.IntOrString)(nil), &one
	if rolling := ds.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		maxSurge = rolling.MaxSurge
		if rolling.MaxUnavailable != nil {
			maxUnavailable = rolling.MaxUnavailable
		}
	}
	s.surging, s.surge = resolve(maxSurge, desired)
	s.yielding, s.unavailable = resolve(maxUnavailable, desired)
	if !s.surging && !s.yielding {
		// The API refuses it, since no rollout could ever proceed; where it got in all the same, one at a time is what remains.
		s.yielding, s.unavailable = true, 1
	}
	return s
}

// resolve tells whether a limit is other than zero and how many of the nodes it allows. A limit that cannot be parsed allows everything:
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

// era is a time during which settings were in force.
type era struct {
	settings
	until time.Time
}

// remember takes note of the settings in force from now on.
func (w *workload) remember(s settings, now time.Time) {
	if s == w.settings {
		return
	}
	kept := w.past[:0]
	for _, past := range w.past {
		if now.Sub(past.until) < Lag {
			kept = append(kept, past)
		}
	}
	w.past = append(kept, era{settings: w.settings, until: now})
	w.settings = s
}

// recent yields the settings by which the implementation may be acting: those in force, and those that were until less than Lag ago.
func (w *workload) recent(now time.Time) iter.Seq[settings] {
	return func(yield func(settings) bool) {
		if !yield(w.settings) {
			return
		}
		for _, past := range w.past {
			if now.Sub(past.until) < Lag && !yield(past.settings) {
				return
			}
		}
	}
}

// minReady returns the smallest and the largest minReadySeconds by which the implementation may be acting.
func (w *workload) minReady(now time.Time) (low, high int32) {
	low, high = w.settings.minReady, w.settings.minReady
	for s := range w.recent(now) {
		low, high = min(low, s.minReady), max(high, s.minReady)
	}
	return low, high
}

// always tells whether all settings by which the implementation may be acting have the property.
func (w *workload) always(now time.Time, property func(settings) bool) bool {
	for s := range w.recent(now) {
		if !property(s) {
			return false
		}
	}
	return true
}

// largest returns the largest limit by which the implementation may be acting, and whether there is any.
func (w *workload) largest(now time.Time, limit func(settings) (bool, int)) (int, bool) {
	most, found := 0, false
	for s := range w.recent(now) {
		if set, number := limit(s); set {
			most, found = max(most, number), true
		}
	}
	return most, found
}

func surgeLimit(s settings) (bool, int)       { return s.rolling && s.surging, s.surge }
func unavailableLimit(s settings) (bool, int) { return s.rolling && s.yielding, s.unavailable }
