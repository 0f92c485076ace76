package implementation

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// imageVariable may stand in the manifests of launch.image; everything else that looks like a variable there is the manifest's own business.
const imageVariable = "${IMAGE}"

// controlPlaneComponents are what an implementation can be taken from; see replaceable.
func controlPlaneComponents() []string { return []string{"kube-controller-manager"} }

func (r *reader) image(into *LaunchSpec, folder string, open func(string) ([]byte, error)) func(*yaml.Node) {
	const at = "spec.launch.image"
	return func(node *yaml.Node) {
		s := &ImageSpec{folder: folder}
		into.Image = s
		before := len(r.problems)
		r.mapping(node, at,
			field{"goPackage", false, r.checked(at+".goPackage", &s.GoPackage, func(node *yaml.Node, value string) {
				r.goPackage(at+".goPackage", folder)(node, value)
				// The image's program is called like the package's folder.
				if base := filepath.Base(value); base == "." || base == ".." {
					r.reject(node, "%s.goPackage %q must end in the name of the main package's folder", at, value)
				}
			})},
			field{"archive", false, r.checked(at+".archive", &s.Archive, func(node *yaml.Node, value string) {
				if folder == "" && !filepath.IsAbs(value) {
					r.reject(node, "%s.archive %q: a shipped file is in no folder, use an absolute path", at, value)
				}
			})},
			field{"reference", false, r.text(at+".reference", &s.Reference)},
			field{"controlPlane", false, r.checked(at+".controlPlane", &s.ControlPlane, r.oneOf("component of the control plane", controlPlaneComponents()))},
			field{"manifests", true, r.manifests(at+".manifests", &s.Manifests, open)},
			field{"deployment", true, func(node *yaml.Node) {
				r.mapping(node, at+".deployment",
					field{"namespace", true, r.text(at+".deployment.namespace", &s.Deployment.Namespace)},
					field{"name", true, r.text(at+".deployment.name", &s.Deployment.Name)},
				)
			}},
		)
		sources := slices.DeleteFunc([]string{s.GoPackage, s.Archive, s.Reference, s.ControlPlane}, func(source string) bool { return source == "" })
		if len(sources) != 1 {
			r.reject(node, "%s must have exactly one of goPackage, archive, reference and controlPlane", at)
		}
		if len(r.problems) > before {
			return // what follows would only repeat it
		}
		if replicas, err := s.replicas(); err != nil {
			r.reject(node, "%s.deployment: %v", at, err)
		} else if replicas < 1 {
			r.reject(node, "%s.deployment: Deployment %s has %d replicas, so it never runs", at, s.Deployment, replicas)
		}
		if !slices.ContainsFunc(s.Manifests, func(m Manifest) bool { return bytes.Contains(m.Content, []byte(imageVariable)) }) {
			r.reject(node, "%s.manifests: none says where the image goes: write image: %s", at, imageVariable)
		}
	}
}

// find returns the Deployment of that name from the manifests, which are known to parse.
func (s *ImageSpec) find(name types.NamespacedName) (*unstructured.Unstructured, bool) {
	for _, manifest := range s.Manifests {
		parsed, _ := objects(manifest.Content)
		for _, object := range parsed {
			if object.GroupVersionKind().GroupKind() == (schema.GroupKind{Group: "apps", Kind: "Deployment"}) &&
				object.GetNamespace() == name.Namespace && object.GetName() == name.Name {
				return object, true
			}
		}
	}
	return nil, false
}

// deployment is the one of the manifests whose pods are the implementation.
func (s *ImageSpec) deployment() (*appsv1.Deployment, error) {
	object, found := s.find(s.Deployment)
	if !found {
		return nil, fmt.Errorf("no manifest holds a Deployment %s", s.Deployment)
	}
	var deployment appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment); err != nil {
		return nil, fmt.Errorf("the Deployment %s: %w", s.Deployment, err)
	}
	return &deployment, nil
}

// replicas is how many pods the implementation has when all is well.
func (s *ImageSpec) replicas() (int32, error) {
	deployment, err := s.deployment()
	if err != nil {
		return 0, err
	}
	return ptr.Deref(deployment.Spec.Replicas, 1), nil
}

// with returns the manifests with the image's reference in place.
func (s *ImageSpec) with(image string) []Manifest {
	var filled []Manifest
	for _, manifest := range s.Manifests {
		content := strings.ReplaceAll(string(manifest.Content), imageVariable, image)
		filled = append(filled, Manifest{Path: manifest.Path, Content: []byte(content)})
	}
	return filled
}
