package scenario

import (
	"context"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// customKind is the kind of the objects of an API that a scenario defines. One of Kubernetes' workloads has that name, too: only the group tells them apart.
const customKind = "ReplicaSet"

// CustomResource is the name of their resource, in a group of the scenario's own.
const CustomResource = "keepers"

// RunCustom defines an API of the scenario's own whose objects have a scale subresource, creates an object of it that asks for that many replicas, and returns
// the reference by which it controls pods. Nobody makes any. The API goes with the scenario.
func (s *Scenario) RunCustom(ctx context.Context, name string, replicas int64) metav1.OwnerReference {
	s.tb.Helper()
	return s.runCustom(ctx, name, replicas, withScale())
}

// RunCustomUnscaled is RunCustom of an API without that subresource, until AddScale.
func (s *Scenario) RunCustomUnscaled(ctx context.Context, name string, replicas int64) metav1.OwnerReference {
	s.tb.Helper()
	return s.runCustom(ctx, name, replicas, nil)
}

func (s *Scenario) runCustom(ctx context.Context, name string, replicas int64, subresources *apiextensionsv1.CustomResourceSubresources) metav1.OwnerReference {
	s.tb.Helper()
	// No two scenarios share one, so that each can remove its own.
	kind := schema.GroupVersionKind{Group: s.namespace + ".rollcall.dev", Version: "v1", Kind: customKind}
	definition := customDefinition(kind, subresources)
	extensions, err := clientset.NewForConfig(s.env.Config)
	s.must(err, "make a client of API extensions")
	definitions := extensions.ApiextensionsV1().CustomResourceDefinitions()
	s.held = append(s.held, func(ctx context.Context) error {
		return ignoreNotFound(definitions.Delete(ctx, definition.Name, metav1.DeleteOptions{}))
	})
	objects, err := dynamic.NewForConfig(s.env.Config)
	s.must(err, "make a client of any API")
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": replicas}}}
	object.SetGroupVersionKind(kind)
	object.SetName(name)
	var stored *unstructured.Unstructured
	stimulus := history.Stimulus{Act: history.CreateWorkload, Kind: history.KindOf(kind.GroupKind()), Namespace: s.namespace, Name: name}
	err = s.Do(ctx, stimulus, func(ctx context.Context) error {
		if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
			return err
		}
		resource := objects.Resource(kind.GroupVersion().WithResource(CustomResource)).Namespace(s.namespace)
		// The API server serves it a moment after it was defined.
		return s.poll(ctx, func(ctx context.Context) (bool, error) {
			created, err := resource.Create(ctx, object, metav1.CreateOptions{})
			stored = created
			return err == nil, ignoreNotFound(err)
		})
	})
	s.must(err, "create %s %s", customKind, name)
	return *metav1.NewControllerRef(stored, kind)
}

// AddScale gives the API of RunCustomUnscaled the scale subresource, and returns when it is served.
func (s *Scenario) AddScale(ctx context.Context, owner metav1.OwnerReference) {
	s.tb.Helper()
	extensions, err := clientset.NewForConfig(s.env.Config)
	s.must(err, "make a client of API extensions")
	objects, err := dynamic.NewForConfig(s.env.Config)
	s.must(err, "make a client of any API")
	kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
	definitions, resource := extensions.ApiextensionsV1().CustomResourceDefinitions(), objects.Resource(kind.GroupVersion().WithResource(CustomResource)).Namespace(s.namespace)
	stimulus := history.Stimulus{
		Act: history.UpdateWorkload, Kind: history.KindOf(kind.GroupKind()), Namespace: s.namespace, Name: owner.Name, UID: owner.UID, Detail: "a scale subresource",
	}
	err = s.Do(ctx, stimulus, func(ctx context.Context) error {
		definition, err := definitions.Get(ctx, CustomResource+"."+kind.Group, metav1.GetOptions{})
		if err != nil {
			return err
		}
		definition.Spec.Versions[0].Subresources = withScale()
		if _, err := definitions.Update(ctx, definition, metav1.UpdateOptions{}); err != nil {
			return err
		}
		return s.poll(ctx, func(ctx context.Context) (bool, error) {
			_, err := resource.Get(ctx, owner.Name, metav1.GetOptions{}, "scale")
			if err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
				// While it takes the definition over the API server may break an answer off.
				return false, nil
			}
			return err == nil, ignoreNotFound(err)
		})
	})
	s.must(err, "give %s %s a scale", customKind, owner.Name)
}

// GiveToCustom makes an object of RunCustom the controller of the ReplicaSet, whose replicas and pods stay.
func (s *Scenario) GiveToCustom(ctx context.Context, w Scaled, owner metav1.OwnerReference) {
	s.tb.Helper()
	stimulus := s.onScaled(history.UpdateWorkload, w)
	stimulus.Detail = "controlled by the custom resource " + owner.Name
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": []metav1.OwnerReference{owner}}})
		if err != nil {
			return err
		}
		_, err = s.client.AppsV1().ReplicaSets(s.namespace).Patch(ctx, w.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
	s.must(err, "give %s %s a controller", w.Kind, w.Name)
}

// ScaleCustom sets the number of replicas of an object of RunCustom, by its scale subresource.
func (s *Scenario) ScaleCustom(ctx context.Context, owner metav1.OwnerReference, replicas int64) {
	s.tb.Helper()
	objects, err := dynamic.NewForConfig(s.env.Config)
	s.must(err, "make a client of any API")
	kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
	resource := objects.Resource(kind.GroupVersion().WithResource(CustomResource)).Namespace(s.namespace)
	stimulus := history.Stimulus{
		Act: history.ScaleWorkload, Kind: history.KindOf(kind.GroupKind()), Namespace: s.namespace, Name: owner.Name, UID: owner.UID,
		Detail: fmt.Sprintf("%d replicas", replicas),
	}
	err = s.Do(ctx, stimulus, func(ctx context.Context) error {
		patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)
		_, err := resource.Patch(ctx, owner.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "scale")
		return err
	})
	s.must(err, "scale %s %s to %d", customKind, owner.Name, replicas)
}

func customDefinition(kind schema.GroupVersionKind, subresources *apiextensionsv1.CustomResourceSubresources) *apiextensionsv1.CustomResourceDefinition {
	keepsAll := true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: CustomResource + "." + kind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind.Kind, Plural: CustomResource},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: kind.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &keepsAll,
				}},
				Subresources: subresources,
			}},
		},
	}
}

func withScale() *apiextensionsv1.CustomResourceSubresources {
	return &apiextensionsv1.CustomResourceSubresources{Scale: &apiextensionsv1.CustomResourceSubresourceScale{
		SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas",
	}}
}
