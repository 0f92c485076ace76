// Package suites is the list of the families of specs. Each family is a folder; a spec reads from top to bottom as its scenario does.
package suites

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/suites/api"
	"github.com/rollcall-conformance/rollcall/suites/avail"
	"github.com/rollcall-conformance/rollcall/suites/conditions"
	"github.com/rollcall-conformance/rollcall/suites/cross"
	"github.com/rollcall-conformance/rollcall/suites/drain"
	"github.com/rollcall-conformance/rollcall/suites/evict"
	"github.com/rollcall-conformance/rollcall/suites/gate"
	"github.com/rollcall-conformance/rollcall/suites/hostport"
	"github.com/rollcall-conformance/rollcall/suites/inplace"
	"github.com/rollcall-conformance/rollcall/suites/kubectl"
	"github.com/rollcall-conformance/rollcall/suites/kubelet"
	"github.com/rollcall-conformance/rollcall/suites/ondelete"
	"github.com/rollcall-conformance/rollcall/suites/pause"
	"github.com/rollcall-conformance/rollcall/suites/pdb"
	"github.com/rollcall-conformance/rollcall/suites/pdbapi"
	"github.com/rollcall-conformance/rollcall/suites/recovery"
	"github.com/rollcall-conformance/rollcall/suites/revisions"
	"github.com/rollcall-conformance/rollcall/suites/rollback"
	"github.com/rollcall-conformance/rollcall/suites/rolling"
	"github.com/rollcall-conformance/rollcall/suites/rollover"
	"github.com/rollcall-conformance/rollcall/suites/status"
	"github.com/rollcall-conformance/rollcall/suites/stress"
	"github.com/rollcall-conformance/rollcall/suites/surge"
	"github.com/rollcall-conformance/rollcall/suites/takeover"
	"github.com/rollcall-conformance/rollcall/suites/target"
	"github.com/rollcall-conformance/rollcall/suites/united"
	"github.com/rollcall-conformance/rollcall/suites/unready"
)

// Register adds every family's specs to Ginkgo's tree. It is called once, before the specs run or are listed.
func Register() {
	ginkgo.Describe("API", api.Specs)
	ginkgo.Describe("Availability", avail.Specs)
	ginkgo.Describe("Surge", surge.Specs)
	ginkgo.Describe("Rolling update", rolling.Specs)
	ginkgo.Describe("Pause", pause.Specs)
	ginkgo.Describe("Rollover", rollover.Specs)
	ginkgo.Describe("Rollback", rollback.Specs)
	ginkgo.Describe("OnDelete", ondelete.Specs)
	ginkgo.Describe("Drain", drain.Specs)
	ginkgo.Describe("Unready", unready.Specs)
	ginkgo.Describe("Host port", hostport.Specs)
	ginkgo.Describe("Gate", gate.Specs)
	ginkgo.Describe("Target", target.Specs)
	ginkgo.Describe("Status", status.Specs)
	ginkgo.Describe("Conditions", conditions.Specs)
	ginkgo.Describe("Revisions", revisions.Specs)
	ginkgo.Describe("United", united.Specs)
	ginkgo.Describe("Disruption budget", pdb.Specs)
	ginkgo.Describe("Daemons under budgets", cross.Specs)
	ginkgo.Describe("Recovery", recovery.Specs)
	ginkgo.Describe("Disruption budget API", pdbapi.Specs)
	ginkgo.Describe("Eviction", evict.Specs)
	ginkgo.Describe("Stress", stress.Specs)
	ginkgo.Describe("Kubectl", kubectl.Specs)
	ginkgo.Describe("In place", inplace.Specs)
	ginkgo.Describe("Kubelet", kubelet.Specs)
	ginkgo.Describe("Take-over", takeover.Specs)
}
