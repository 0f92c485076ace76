package observe_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// liveAt200 answers lists, of resource version 200, with these objects' metadata, and counts those of pods.
func liveAt200(looks *int, objects ...client.Object) client.Reader {
	return liveAt(looks, func() (string, []client.Object) { return "200", objects })
}

// liveAt answers lists with the resource version and the objects' metadata of now, and counts those of pods.
func liveAt(looks *int, now func() (string, []client.Object)) client.Reader {
	return interceptor.NewClient(fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build(), interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			into := list.(*metav1.PartialObjectMetadataList)
			version, objects := now()
			into.ResourceVersion = version
			for _, object := range objects {
				switch o := object.(type) {
				case *corev1.Pod:
					if into.Kind == "PodList" {
						into.Items = append(into.Items, metav1.PartialObjectMetadata{ObjectMeta: o.ObjectMeta})
					}
				case *appsv1.ControllerRevision:
					if into.Kind == "ControllerRevisionList" {
						into.Items = append(into.Items, metav1.PartialObjectMetadata{ObjectMeta: o.ObjectMeta})
					}
				}
			}
			if into.Kind == "PodList" {
				*looks++
			}
			return nil
		}})
}

func TestHandoverWaitsForTheCache(t *testing.T) {
	at := func(name, version string) *corev1.Pod {
		p := pod("ns", name, "ds")
		p.ResourceVersion = version
		return p
	}
	numbered := func(name, version string) *appsv1.ControllerRevision {
		r := revision("ns", name, "ds")
		r.UID, r.ResourceVersion = types.UID(name), version
		return r
	}
	orphan := func(name, version, app string) *corev1.Pod {
		p := pod("ns", name, "")
		p.ResourceVersion, p.Labels = version, map[string]string{"app": app}
		return p
	}
	orphanedRevision := revision("ns", "orphan", "")
	orphanedRevision.ResourceVersion, orphanedRevision.Labels = "150", map[string]string{"app": "agent"}
	foreign, occupant := pod("ns", "foreign", "other"), revision("ns", "foreign", "other")
	foreign.ResourceVersion, occupant.ResourceVersion = "150", "150"
	for name, c := range map[string]struct {
		live, cached []client.Object
		confirmed    bool
	}{
		"nothing anywhere":                             {nil, nil, true},
		"the same":                                     {objects(at("a", "100")), objects(at("a", "100")), true},
		"the cache has a later version":                {objects(at("a", "100")), objects(at("a", "250")), true},
		"the cache has an earlier version":             {objects(at("a", "100")), objects(at("a", "99")), false},
		"the cache misses what the last leader made":   {objects(at("a", "100"), at("b", "101")), objects(at("a", "100")), false},
		"the cache has what the last leader deleted":   {nil, objects(at("a", "100")), false},
		"the cache has what came after the live look":  {nil, objects(at("a", "201")), true},
		"somebody else's pods need not be in the list": {objects(foreign), nil, true},
		"the same revisions":                           {objects(at("a", "100"), numbered("r", "90")), objects(at("a", "100"), numbered("r", "90")), true},
		"the cache misses the last leader's revision":  {objects(at("a", "100"), numbered("r", "90")), objects(at("a", "100")), false},
		"the cache has a revision's earlier number":    {objects(numbered("r", "90")), objects(numbered("r", "80")), false},
		"the cache has a revision that was deleted":    {nil, objects(numbered("r", "90")), false},
		"somebody else has the name of the next one":   {objects(occupant), objects(occupant), true},
		"the same orphan":                              {objects(orphan("o", "100", "agent")), objects(orphan("o", "100", "agent")), true},
		"the cache does not show the orphan as one":    {objects(orphan("o", "100", "agent")), nil, false},
		"the cache has an earlier orphan":              {objects(orphan("o", "100", "agent")), objects(orphan("o", "99", "agent")), false},
		"the cache has as an orphan what is not one":   {objects(foreign), objects(orphan("foreign", "99", "agent")), false},
		"others' orphans need not be in the cache":     {objects(orphan("o", "100", "other")), nil, true},
		"the cache misses an orphaned revision":        {objects(orphanedRevision), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			state := plan.State{DaemonSet: daemonSet()}
			for _, object := range c.cached {
				switch o := object.(type) {
				case *corev1.Pod:
					state.Pods = append(state.Pods, o)
				case *appsv1.ControllerRevision:
					state.Revisions = append(state.Revisions, o)
				}
			}
			looks := 0
			h := observe.NewHandover(liveAt200(&looks, c.live...))
			g.Expect(h.Confirmed(context.Background(), state)).To(Equal(c.confirmed), "RECOVERY-002, RECOVERY-005, HISTORY-010, HISTORY-026")
			g.Expect(h.Confirmed(context.Background(), state)).To(Equal(c.confirmed))
			g.Expect(looks).To(Equal(map[bool]int{true: 1, false: 2}[c.confirmed]), "once confirmed, it does not look again")
			h.Doubt("ds")
			g.Expect(h.Confirmed(context.Background(), state)).To(Equal(c.confirmed))
			g.Expect(looks).To(Equal(map[bool]int{true: 2, false: 3}[c.confirmed]), "unless in doubt")
		})
	}
}

func TestHandoverWaitsForWhatItFirstSaw(t *testing.T) {
	at := func(name string, controller types.UID, version string) *corev1.Pod {
		p := pod("ns", name, controller)
		p.ResourceVersion = version
		return p
	}
	// Every pass reads its cache before it looks, and something has changed by then.
	type pass struct {
		version      string
		live, cached []client.Object
		confirmed    bool
	}
	for name, passes := range map[string][]pass{
		"a pod changes all the time": {
			{"200", objects(at("a", "ds", "200")), objects(at("a", "ds", "190")), false},
			{"300", objects(at("a", "ds", "300")), objects(at("a", "ds", "199")), false},
			{"400", objects(at("a", "ds", "400")), objects(at("a", "ds", "250")), true},
		},
		"another one appears meanwhile": {
			{"200", objects(at("a", "ds", "200")), objects(at("a", "ds", "190")), false},
			{"300", objects(at("a", "ds", "200"), at("b", "ds", "300")), objects(at("a", "ds", "200")), true},
		},
		"it is gone before the cache shows it": {
			{"200", objects(at("a", "ds", "200")), nil, false},
			{"300", nil, nil, true},
		},
		"it is gone, which the cache does not show yet": {
			{"200", objects(at("a", "ds", "200")), objects(at("a", "ds", "190")), false},
			{"300", nil, objects(at("a", "ds", "190")), false},
			{"400", nil, nil, true},
		},
		"it is somebody else's before the cache shows it": {
			{"200", objects(at("a", "ds", "200")), nil, false},
			{"300", objects(at("a", "other", "300")), objects(at("a", "other", "300")), true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			looks, now := 0, passes[0]
			h := observe.NewHandover(liveAt(&looks, func() (string, []client.Object) { return now.version, now.live }))
			for i, pass := range passes {
				now = pass
				state := plan.State{DaemonSet: daemonSet()}
				for _, object := range pass.cached {
					state.Pods = append(state.Pods, object.(*corev1.Pod))
				}
				g.Expect(h.Confirmed(context.Background(), state)).To(Equal(pass.confirmed), "pass %d: RECOVERY-002, TARGET-002", i+1)
			}
		})
	}
}

func TestADoubtIsSettledByALaterLook(t *testing.T) {
	g := NewWithT(t)
	p := func(version string) *corev1.Pod {
		p := pod("ns", "a", "ds")
		p.ResourceVersion = version
		return p
	}
	version, looks := "200", 0
	h := observe.NewHandover(liveAt(&looks, func() (string, []client.Object) { return version, objects(p(version)) }))
	g.Expect(h.Confirmed(context.Background(), plan.State{DaemonSet: daemonSet(), Pods: []*corev1.Pod{p("199")}})).To(BeFalse())
	version = "300"
	h.Doubt("ds")
	g.Expect(h.Confirmed(context.Background(), plan.State{DaemonSet: daemonSet(), Pods: []*corev1.Pod{p("250")}})).To(BeFalse(), "that is before the doubt")
	g.Expect(h.Confirmed(context.Background(), plan.State{DaemonSet: daemonSet(), Pods: []*corev1.Pod{p("300")}})).To(BeTrue())
}

func objects(objects ...client.Object) []client.Object { return objects }
