package act

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the numbers that the controller exports; all names start with rollcall_reference_.
type Metrics struct {
	created, deleted, updated, failed *prometheus.CounterVec
	passes                            *prometheus.CounterVec
	timeouts                          prometheus.Counter
	rollout                           *prometheus.GaugeVec
}

// NewMetrics registers the metrics. It fails if registry has them already.
func NewMetrics(registry prometheus.Registerer) (*Metrics, error) {
	counters := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "rollcall_reference", Name: name, Help: help}, []string{label})
	}
	m := &Metrics{
		created: counters("pods_created_total", "Pods created, by the reason for it.", "reason"),
		deleted: counters("pods_deleted_total", "Pods deleted, by the reason for it.", "reason"),
		updated: counters("pods_updated_total", "Pods updated in place, by the reason for it.", "reason"),
		failed:  counters("pod_writes_failed_total", "Pods that could not be created, deleted or updated, by verb.", "verb"),
		passes:  counters("passes_total", "Passes over a DaemonSet, by outcome: done, waiting (own or predecessor's writes not visible yet), stale (outdated view), failed.", "outcome"),
		timeouts: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "rollcall_reference", Name: "own_writes_timeouts_total",
			Help: "Times that own writes did not become visible in the cache for so long that it was no longer waited for.",
		}),
		rollout: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "rollcall_reference", Name: "rollout_in_progress",
			Help: "1 while an eligible node has a pod of another revision or no updated one, else 0.",
		}, []string{"namespace", "daemonset"}),
	}
	for _, c := range []prometheus.Collector{m.created, m.deleted, m.updated, m.failed, m.passes, m.timeouts, m.rollout} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("register the controller's metrics: %w", err)
		}
	}
	return m, nil
}

// OwnWritesTimedOut counts one timeout of OwnWrites.
func (m *Metrics) OwnWritesTimedOut() { m.timeouts.Inc() }

// Pass counts one pass with the given outcome.
func (m *Metrics) Pass(outcome string) { m.passes.WithLabelValues(outcome).Inc() }

// Rollout reports whether a rollout of the DaemonSet is in progress.
func (m *Metrics) Rollout(namespace, name string, inProgress bool) {
	value := 0.0
	if inProgress {
		value = 1
	}
	m.rollout.WithLabelValues(namespace, name).Set(value)
}

// Forget drops the gauge of a DaemonSet that is gone.
func (m *Metrics) Forget(namespace, name string) { m.rollout.DeleteLabelValues(namespace, name) }
