package pdb

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestTheSeriesOfTheQueueAreFoundAndAdded(t *testing.T) {
	g := NewWithT(t)
	const text = `# TYPE workqueue_depth gauge
workqueue_depth{controller="disruption",name="disruption",priority="0"} 1
workqueue_depth{controller="disruption",name="disruption",priority="-100"} 2
workqueue_depth{name="disruption_recheck"} 7
# TYPE workqueue_adds_total counter
workqueue_adds_total{name="disruption"} 1.2e+06
# TYPE workqueue_retries_total counter
workqueue_retries_total{name="daemonset"} 1
`
	g.Expect(aboutQueue(text)).To(Equal([]string{"workqueue_depth 3", "workqueue_adds_total 1.2e+06"}))
	_, err := aboutQueue("<html>")
	g.Expect(err).To(HaveOccurred())
}
