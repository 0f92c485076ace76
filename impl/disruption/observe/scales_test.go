package observe

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakescale "k8s.io/client-go/scale/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestScales(t *testing.T) {
	missing := apierrors.NewNotFound(schema.GroupResource{Group: "example.test", Resource: "webs"}, "web")
	resource := func(name, kind string) metav1.APIResource { return metav1.APIResource{Name: name, Kind: kind} }
	for name, c := range map[string]struct {
		kind      string
		answer    error
		resources []metav1.APIResource
		want      Scale
		fails     bool
	}{
		"PDB-008 a scale":        {"Web", nil, nil, Scale{UID: "uid", Replicas: 3}, false},
		"PDB-021 no scale":       {"Web", missing, []metav1.APIResource{resource("webs", "Web"), resource("webs/status", "Web")}, Scale{Lacking: "webs.example.test does not implement the scale subresource"}, false},
		"no such object":         {"Web", missing, []metav1.APIResource{resource("webs", "Web"), resource("webs/scale", "Scale")}, Scale{}, false},
		"no such kind":           {"Spider", nil, nil, Scale{Lacking: "Spider of example.test/v1 is no kind that the API server has"}, false},
		"another error":          {"Web", errors.New("timeout"), nil, Scale{}, true},
		"discovery does not say": {"Web", missing, nil, Scale{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			group := schema.GroupVersion{Group: "example.test", Version: "v1"}
			mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{group})
			mapper.Add(group.WithKind("Web"), meta.RESTScopeNamespace)
			getter := &fakescale.FakeScaleClient{}
			getter.AddReactor("get", "webs", func(clienttesting.Action) (bool, runtime.Object, error) {
				scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "uid"}, Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
				return true, scale, c.answer
			})
			discoverer := &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{}}
			if c.resources != nil {
				discoverer.Resources = []*metav1.APIResourceList{{GroupVersion: group.String(), APIResources: c.resources}}
			}
			s := &liveScales{mapper: mapper, getter: getter, discoverer: discoverer}
			got, err := s.Scale(t.Context(), "ns", &metav1.OwnerReference{APIVersion: group.String(), Kind: c.kind, Name: "web"})
			g.Expect(err != nil).To(Equal(c.fails))
			g.Expect(got).To(Equal(c.want))
		})
	}
}
