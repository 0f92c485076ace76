package pdb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// queueSeries are the metrics of the work queue, each with its sum over all of the queue's.
const queueSeries = "the metrics of the work queue"

// The metrics of a work queue, and the name of the one that S3 speaks of.
const (
	queueDepth   = "workqueue_depth"
	queueRetries = "workqueue_retries_total"
	queueAdds    = "workqueue_adds_total"
	queueName    = "disruption"
)

// metrics is the spec of the controller's own metrics.
func metrics() {
	spec.It("says in its metrics how deep its work queue is, and how many additions and retries it had",
		spec.Decides("PDB-032"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			c.Require(ctx, "a disruption is allowed", Allows(budget, 1))
			found, err := aboutQueue(c.ImplementationMetrics(ctx))
			if err != nil {
				c.CannotDecide(fmt.Sprintf("what the implementation's address of metrics answers with cannot be read: %v", err))
			}
			c.Bind(queueSeries, found...)
		},
		func(j *spec.Checks) {
			found := j.BoundAll(queueSeries)
			for _, name := range []string{queueDepth, queueRetries, queueAdds} {
				problem := ""
				if !slices.ContainsFunc(found, func(series string) bool { return strings.HasPrefix(series, name+" ") }) {
					problem = fmt.Sprintf("the metrics have no %s of a queue with the name %s", name, queueName)
				}
				j.Decide("PDB-032", Printed(fmt.Sprintf("%s of the queue %s can be read", name, queueName), problem))
			}
			problem := ""
			if slices.Contains(found, queueAdds+" 0") {
				problem = queueAdds + " is 0 though a status was computed"
			}
			j.Decide("PDB-032", Printed("the addition of the budget was counted", problem))
		}, recorded(), spec.Alone{}, spec.SimulatedNodes{})
}

// aboutQueue returns the series of the work queue, each as its name and its sum.
func aboutQueue(text string) ([]string, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range []string{queueDepth, queueRetries, queueAdds} {
		sum, there := 0.0, false
		for _, metric := range families[name].GetMetric() {
			if slices.ContainsFunc(metric.GetLabel(), isQueueName) {
				sum, there = sum+metric.GetGauge().GetValue()+metric.GetCounter().GetValue(), true
			}
		}
		if there {
			found = append(found, fmt.Sprintf("%s %v", name, sum))
		}
	}
	return found, nil
}

func isQueueName(label *dto.LabelPair) bool {
	return label.GetName() == "name" && label.GetValue() == queueName
}
