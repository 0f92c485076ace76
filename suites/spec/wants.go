package spec

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Alone has a spec run beside an implementation that it may kill, restart, suspend and cut off: Case.Kill and its like. Where control planes cost
// little the run lends it one; elsewhere it runs when no other spec does. It is a decorator of It.
type Alone struct {
	// Relay has an implementation that is a local process reach the API server through a relay, which Case.CutOff, Case.BreakWatches,
	// Case.DelayWatches and Case.SetFaults take.
	Relay bool
}

// RealNodes has a spec run on nodes with a kubelet, and not at all where there are none. It is a decorator of It.
type RealNodes struct{}

// SimulatedNodes has a spec run on nodes of its own that nobody is behind, since it does to them, or to their pods, what no kubelet would let happen.
// It is a decorator of It.
type SimulatedNodes struct{}

// Storage has a spec run where etcd is reached past the API server, for objects that only an older Kubernetes could have stored (scenario.StoreBudget), and not
// at all elsewhere. A spec that has it is Alone. It is a decorator of It.
type Storage struct{}

// AppsV1 has these requirements of a spec decided only where the implementation reconciles DaemonSets of apps/v1, since they are about what Kubernetes
// itself does with them. Without any it stands for all that the spec decides. It is a decorator of It.
type AppsV1 []requirements.ID

// Records has the DaemonSets of these namespaces recorded too, which are not the spec's. It is a decorator of It.
type Records []string

// Kinds has objects of these kinds recorded besides DaemonSets, their histories and pods. It is a decorator of It.
type Kinds []history.Kind

// Bystanders gives a spec a second namespace, for objects that nothing should happen to. It is a decorator of It.
type Bystanders struct{}

// MainPath has a spec in every sample of the suites (Spec.InEverySample), since it shows what its family is about first of all. Every family has one.
// It is a decorator of It.
type MainPath struct{}

// Long has a spec begin before others, since it takes more than half a minute, most of it waiting: a run would end with it, and wait for it alone. It is a
// decorator of It.
type Long struct{}

// OneCause says that what goes wrong in a spec has one cause, which the requirements that the spec decides name: what comes of it is held against these, and
// against no other. So it is where requests of the implementation meet faults of which none of the documents speaks, and where an implementation that fails the
// spec does nothing at all. It is a decorator of It.
type OneCause struct{}

// wants is what a spec asks of the cluster, by decorators.
type wants struct {
	alone, relay, storage bool
	// nodes is empty if any kind will do.
	nodes scenario.NodeKind
	// appsV1 is nil if nothing is about DaemonSets of apps/v1 alone.
	appsV1     AppsV1
	records    []string
	kinds      []history.Kind
	bystanders bool
	mainPath   bool
	long       bool
	oneCause   bool
}

// wantsOf tells our decorators from Ginkgo's.
func wantsOf(decorators []any) (w wants, others []any) {
	for _, decorator := range decorators {
		switch decorator := decorator.(type) {
		case Alone:
			w.alone, w.relay = true, decorator.Relay
		case Storage:
			w.storage = true
		case RealNodes:
			w.nodes = scenario.Real
		case SimulatedNodes:
			w.nodes = scenario.Simulated
		case AppsV1:
			w.appsV1 = append(AppsV1{}, decorator...)
		case Records:
			w.records = decorator
		case Kinds:
			w.kinds = decorator
		case Bystanders:
			w.bystanders = true
		case Long:
			w.long = true
		case OneCause:
			w.oneCause = true
		case MainPath:
			w.mainPath = true
		default:
			others = append(others, decorator)
		}
	}
	return w, others
}

// foreign says why a requirement is not decided for the workload of a run whose recordings have this header, or nothing.
func (w wants) foreign(run history.Header, id requirements.ID) string {
	if run.Workload == "" || w.appsV1 == nil || len(w.appsV1) > 0 && !slices.Contains(w.appsV1, id) {
		return ""
	}
	return fmt.Sprintf("it is about what Kubernetes itself does with DaemonSets of apps/v1, and the implementation reconciles %s", run.Workload)
}

// missingOn says why a spec that wants this is not possible on the cluster, or nothing.
func (w wants) missingOn(p history.Place) string {
	switch {
	case w.alone && p.NeverAlone != "":
		return "it takes a cluster and an implementation to itself: " + p.NeverAlone
	case w.storage && p.OnlyAPI:
		return "it takes an etcd that is reached past the API server: PROVIDER=embedded has one"
	case w.nodes == scenario.Real && p.RealNodes == 0:
		return "it takes nodes with a kubelet: PROVIDER=kind has some"
	case w.nodes == scenario.Simulated && p.OnlyRealNodes:
		return "it takes simulated nodes, which this cluster has none of: -simulated-nodes brings some"
	}
	return ""
}

// clusterIsShared reports whether a spec that is Alone has to wait until no other runs. Outside of a run, where specs are only listed, it makes no
// difference.
func clusterIsShared() bool {
	session, err := ReadSession()
	return err == nil && session.Launch.Kind != ""
}
