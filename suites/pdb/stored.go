package pdb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// storedObjects is what the metric of stored objects is called, by the document and since.
func storedObjects() []string {
	return []string{"etcd_object_counts", "apiserver_storage_objects", "apiserver_resource_objects"}
}

// series are the lines of the API server's metrics that are about stored budgets.
const series = "the metrics about stored budgets"

// stored is the spec of the metric of stored objects. The API server counts them once a minute, so that it is not asked how many there are now.
func stored() {
	spec.It("has the API server say in its metrics how many budgets are stored",
		spec.Decides("PDB-033"),
		func(ctx context.Context, c *spec.Case) {
			text, err := c.Client().CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
			if err != nil {
				c.CannotDecide(fmt.Sprintf("harness: read the metrics of the API server: %v", err))
			}
			c.Bind(series, aboutBudgets(string(text))...)
		},
		func(j *spec.Checks) {
			problem := ""
			if len(j.BoundAll(series)) == 0 {
				problem = "none of " + strings.Join(storedObjects(), ", ") + " is about poddisruptionbudgets"
			}
			j.Decide("PDB-033", Printed("the API server's metrics have the number of stored PodDisruptionBudgets", problem))
		})
}

func aboutBudgets(metrics string) []string {
	var lines []string
	for line := range strings.Lines(metrics) {
		name, _, _ := strings.Cut(line, "{")
		if slices.Contains(storedObjects(), name) && strings.Contains(line, "poddisruptionbudgets") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
