package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// Subset is a subset whose selector is still to be set: see OnNodes and Where.
func Subset(name string, patch history.UnitedPatch) history.UnitedSubset {
	return history.UnitedSubset{Name: name, Patch: patch}
}

// OnNodes returns the subset with the nodes of these names.
func OnNodes(subset history.UnitedSubset, names ...string) history.UnitedSubset {
	subset.Selector = history.UnitedSelector{Names: names}
	return subset
}

// Where returns the subset with the nodes whose label has one of the values.
func Where(subset history.UnitedSubset, key string, values ...string) history.UnitedSubset {
	subset.Selector = history.UnitedSelector{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}
	return subset
}

// ImagePatch is a patch of the container's image in the DaemonSet, to that tag.
func (s *Scenario) ImagePatch(tag string) history.UnitedPatch {
	return PatchTemplate(map[string]any{"spec": map[string]any{"containers": []map[string]string{{"name": "daemon", "image": s.env.Images.Daemon() + ":" + tag}}}})
}

// PatchTemplate is a patch of the pod template, as it is written in JSON.
func PatchTemplate(template map[string]any) history.UnitedPatch {
	// What is made of maps, lists and strings can be encoded.
	raw, _ := json.Marshal(template)
	return history.UnitedPatch{Template: &runtime.RawExtension{Raw: raw}}
}

// NewUnited returns a UnitedDaemonSet of the target, not yet created.
func (s *Scenario) NewUnited(name, target string, subsets ...history.UnitedSubset) *history.UnitedDaemonSet {
	version, kind := history.UnitedGroupVersion().WithKind("UnitedDaemonSet").ToAPIVersionAndKind()
	return &history.UnitedDaemonSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: version, Kind: kind},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace},
		Spec:       history.UnitedSpec{TargetRef: history.UnitedTarget{APIVersion: "apps/v1", Kind: "DaemonSet", Name: target}, Subsets: subsets},
	}
}

// Unite creates the UnitedDaemonSet "united" of the DaemonSet.
func (s *Scenario) Unite(ctx context.Context, target *appsv1.DaemonSet, subsets ...history.UnitedSubset) *history.UnitedDaemonSet {
	s.tb.Helper()
	united := s.NewUnited("united", target.Name, subsets...)
	created, err := s.TryUnite(ctx, united.Name, united)
	s.must(err, "create UnitedDaemonSet %s", united.Name)
	return created
}

// TryUnite sends a new UnitedDaemonSet, or what is to be tried as one, of that name, and returns what the API server stored.
func (s *Scenario) TryUnite(ctx context.Context, name string, body any) (*history.UnitedDaemonSet, error) {
	s.tb.Helper()
	stored := &history.UnitedDaemonSet{}
	stimulus := history.Stimulus{Act: history.CreateUnited, Kind: history.KindUnitedDaemonSet, Namespace: s.namespace, Name: name}
	if united, is := body.(*history.UnitedDaemonSet); is {
		stimulus.Namespace = united.Namespace
	}
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		return s.sendUnited(ctx, s.client.AppsV1().RESTClient().Post(), stimulus.Namespace, "", "", body, stored)
	})
	return stored, err
}

// Subdivide gives the UnitedDaemonSet these subsets.
func (s *Scenario) Subdivide(ctx context.Context, united *history.UnitedDaemonSet, subsets ...history.UnitedSubset) *history.UnitedDaemonSet {
	s.tb.Helper()
	stored, err := s.TrySubdivide(ctx, united, subsets...)
	s.must(err, "update UnitedDaemonSet %s", united.Name)
	s.Require(ctx, "the recording shows the change", state.When("UnitedDaemonSet "+united.Name+" is as it was changed", func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.United(), func(now *history.UnitedDaemonSet) bool {
			return now.UID == stored.UID && now.Generation >= stored.Generation
		})
	}))
	return stored
}

// TrySubdivide gives the UnitedDaemonSet these subsets, and returns the refusal.
func (s *Scenario) TrySubdivide(ctx context.Context, united *history.UnitedDaemonSet, subsets ...history.UnitedSubset) (*history.UnitedDaemonSet, error) {
	s.tb.Helper()
	stored := &history.UnitedDaemonSet{}
	stimulus := onUnited(history.UpdateUnited, united)
	for _, subset := range subsets {
		stimulus.Detail += " " + subset.Name
	}
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		return lever.OnConflict(func() error {
			client := s.client.AppsV1().RESTClient()
			if err := s.sendUnited(ctx, client.Get(), united.Namespace, united.Name, "", nil, stored); err != nil {
				return err
			}
			stored.Spec.Subsets = subsets
			return s.sendUnited(ctx, client.Put(), united.Namespace, united.Name, "", stored, stored)
		})
	})
	return stored, err
}

// TryReport writes the status of the UnitedDaemonSet, as only its subresource can, and returns what the API server stored.
func (s *Scenario) TryReport(ctx context.Context, united *history.UnitedDaemonSet, status history.UnitedStatus) (*history.UnitedDaemonSet, error) {
	s.tb.Helper()
	stored := &history.UnitedDaemonSet{}
	err := s.Do(ctx, onUnited(history.WriteStatus, united), func(ctx context.Context) error {
		return lever.OnConflict(func() error {
			client := s.client.AppsV1().RESTClient()
			if err := s.sendUnited(ctx, client.Get(), united.Namespace, united.Name, "", nil, stored); err != nil {
				return err
			}
			stored.Status = status
			return s.sendUnited(ctx, client.Put(), united.Namespace, united.Name, "status", stored, stored)
		})
	})
	return stored, err
}

// Separate deletes the UnitedDaemonSet, and what it controls as the policy says.
func (s *Scenario) Separate(ctx context.Context, united *history.UnitedDaemonSet, policy metav1.DeletionPropagation) {
	s.tb.Helper()
	stimulus := onUnited(history.DeleteUnited, united)
	stimulus.Detail = "propagation " + string(policy)
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		return s.sendUnited(ctx, s.client.AppsV1().RESTClient().Delete(), united.Namespace, united.Name, "", &metav1.DeleteOptions{PropagationPolicy: &policy}, nil)
	})
	s.must(err, "delete UnitedDaemonSet %s", united.Name)
}

// sendUnited sends a request about UnitedDaemonSets, and reads the answer into an object; nil for none.
func (s *Scenario) sendUnited(ctx context.Context, request *rest.Request, namespace, name, subresource string, body any, into *history.UnitedDaemonSet) error {
	of := history.UnitedGroupVersion()
	path := []string{"/apis", of.Group, of.Version, "namespaces", namespace, "uniteddaemonsets"}
	for _, more := range []string{name, subresource} {
		if more != "" {
			path = append(path, more)
		}
	}
	request = request.AbsPath(path...)
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode the body: %w", err)
		}
		request = request.SetHeader("Content-Type", runtime.ContentTypeJSON).Body(encoded)
	}
	answer, err := request.DoRaw(ctx)
	if err != nil || into == nil {
		return err
	}
	*into = history.UnitedDaemonSet{}
	return json.Unmarshal(answer, into)
}

func onUnited(act history.Act, united *history.UnitedDaemonSet) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindUnitedDaemonSet, Namespace: united.Namespace, Name: united.Name, UID: united.UID}
}
