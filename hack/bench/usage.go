package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// The metrics that are read: of the process, as the Go client of Prometheus names them, and of client-go's requests.
const (
	cpuMetric      = "process_cpu_seconds_total"
	memoryMetric   = "process_resident_memory_bytes"
	requestsMetric = "rest_client_requests_total"
)

// usage is what an implementation has used since it was started.
type usage struct {
	// cpu is in seconds, memory in bytes.
	cpu, memory float64
	// writes are requests that are no GET, those for Events among them.
	writes float64
}

// use asks an implementation for what it has used.
func use(ctx context.Context, metered implementation.Metered) (usage, error) {
	text, err := metered.Metrics(ctx)
	if err != nil {
		return usage{}, err
	}
	return readUsage(text)
}

// readUsage reads metrics in the text format of Prometheus. A metric that is not there is an error.
func readUsage(text string) (usage, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return usage{}, fmt.Errorf("read the metrics: %w", err)
	}
	for _, name := range []string{cpuMetric, memoryMetric, requestsMetric} {
		if len(families[name].GetMetric()) == 0 {
			return usage{}, fmt.Errorf("the metrics have no %s", name)
		}
	}
	used := usage{
		cpu:    families[cpuMetric].GetMetric()[0].GetCounter().GetValue(),
		memory: families[memoryMetric].GetMetric()[0].GetGauge().GetValue(),
	}
	for _, requests := range families[requestsMetric].GetMetric() {
		if label(requests, "method") != http.MethodGet {
			used.writes += requests.GetCounter().GetValue()
		}
	}
	return used, nil
}

func label(metric *dto.Metric, name string) string {
	for _, pair := range metric.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}

// since is what was used since before; memory is what it is now.
func (u usage) since(before usage) usage {
	return usage{cpu: u.cpu - before.cpu, memory: u.memory, writes: u.writes - before.writes}
}
