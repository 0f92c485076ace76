package implementation

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// kubernetesVersionVariable may stand in spec.version.
const kubernetesVersionVariable = "${KUBERNETES_VERSION}"

// replaceable are the controllers of kube-controller-manager that requirements are about: others are nothing an implementation could replace.
func replaceable() []string {
	return []string{"daemonset-controller", disruptionController, statefulSetController}
}

func features() []string {
	var names []string
	for _, feature := range requirements.Features() {
		names = append(names, string(feature))
	}
	return names
}

// decode reads the text of an implementation file. Relative paths of its launch are relative to folder; open reads a manifest by the path in
// the file.
func decode(file string, text []byte, folder string, catalogue *requirements.Catalogue, open func(string) ([]byte, error)) (*Implementation, error) {
	return decodeBy(&reader{file: file}, file, text, folder, catalogue, open)
}

func decodeBy(
	r *reader, file string, text []byte, folder string, catalogue *requirements.Catalogue, open func(string) ([]byte, error),
) (*Implementation, error) {
	root := r.document(text)
	if root == nil {
		return nil, r.err()
	}
	i := &Implementation{
		File:          file,
		RevisionLabel: DefaultRevisionLabel,
		Workload:      workload.DaemonSet(),

		PodUpdatePolicy: history.DefaultUpdatePolicy(),
	}
	var apiVersion, kind string
	var claimed []string
	r.mapping(root, "",
		field{"apiVersion", true, r.checked("apiVersion", &apiVersion, r.oneOf("apiVersion", []string{APIVersion}))},
		field{"kind", true, r.checked("kind", &kind, r.oneOf("kind", []string{Kind}))},
		field{"metadata", true, func(node *yaml.Node) {
			r.mapping(node, "metadata", field{"name", true, r.checked("metadata.name", &i.Name, r.named("metadata.name", validation.IsDNS1123Label))})
		}},
		field{"spec", true, func(node *yaml.Node) {
			r.mapping(node, "spec",
				field{"organization", false, r.text("spec.organization", &i.Organization)},
				field{"project", false, r.text("spec.project", &i.Project)},
				field{"url", false, r.checked("spec.url", &i.URL, r.address("spec.url"))},
				field{"version", false, r.checked("spec.version", &i.Version, r.variables([]string{kubernetesVersionVariable}))},
				field{"contact", false, r.texts("spec.contact", &i.Contact, nil)},
				field{"workload", false, r.workload(&i.Workload)},
				field{"revisionLabel", false, r.checked("spec.revisionLabel", &i.RevisionLabel, r.named("spec.revisionLabel", validation.IsQualifiedName))},
				field{"podUpdatePolicy", false, r.podUpdatePolicy(&i.PodUpdatePolicy)},
				field{"features", true, r.texts("spec.features", &claimed, r.oneOf("feature", features()))},
				field{"replaces", false, r.texts("spec.replaces", &i.Replaces, r.oneOf("controller", replaceable()))},
				field{"launch", true, r.launch(&i.Launch, folder, open)},
				field{"knownDeviations", false, r.deviations(&i.KnownDeviations, catalogue)},
			)
		}},
	)
	if err := r.err(); err != nil {
		return nil, err
	}
	for _, feature := range claimed {
		i.Features = append(i.Features, requirements.Feature(feature))
	}
	if len(i.Features) == 0 {
		return nil, fmt.Errorf("%s: spec.features is empty: an implementation claims at least one of %s", file, strings.Join(features(), ", "))
	}
	if err := i.answersForItsClaims(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if p := i.Launch.Process; p != nil && p.User.Name == "" {
		p.User = User{Name: i.Name, Groups: []string{user.SystemPrivilegedGroup}}
	}
	return i, nil
}

// podUpdatePolicy reads the annotation that asks for updates in place, and its values.
func (r *reader) podUpdatePolicy(into *history.UpdatePolicy) func(*yaml.Node) {
	return func(node *yaml.Node) {
		const where = "spec.podUpdatePolicy"
		r.mapping(node, where,
			field{"annotation", true, r.checked(where+".annotation", &into.Annotation, r.named(where+".annotation", validation.IsQualifiedName))},
			field{"inPlaceIfPossible", false, r.text(where+".inPlaceIfPossible", &into.InPlaceIfPossible)},
			field{"recreate", false, r.text(where+".recreate", &into.Recreate)},
		)
	}
}

func (r *reader) deviations(into *[]KnownDeviation, catalogue *requirements.Catalogue) func(*yaml.Node) {
	return func(node *yaml.Node) {
		node = target(node)
		if node.Kind != yaml.SequenceNode {
			r.reject(node, "spec.knownDeviations must be a list")
			return
		}
		seen := map[string]bool{}
		for n, item := range node.Content {
			where := fmt.Sprintf("spec.knownDeviations[%d]", n)
			var id, issue string
			r.mapping(item, where,
				field{"requirement", true, r.checked(where+".requirement", &id, func(node *yaml.Node, value string) {
					if err := catalogue.Unknown(requirements.ID(value)); err != nil {
						r.reject(node, "%v", err)
					} else if seen[value] {
						r.reject(node, "requirement %s is given twice", value)
					}
					seen[value] = true
				})},
				field{"issue", true, r.checked(where+".issue", &issue, r.address(where+".issue"))},
			)
			*into = append(*into, KnownDeviation{Requirement: requirements.ID(id), Issue: issue})
		}
	}
}
