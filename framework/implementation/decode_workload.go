package implementation

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// workload reads the API that the implementation reconciles.
func (r *reader) workload(into *workload.Workload) func(*yaml.Node) {
	return func(node *yaml.Node) {
		read := workload.Workload{Codec: workload.SameFields}
		const where = "spec.workload"
		r.mapping(node, where,
			field{"group", true, r.checked(where+".group", &read.Group, r.named(where+".group", validation.IsDNS1123Subdomain))},
			field{"version", true, r.checked(where+".version", &read.Version, r.named(where+".version", validation.IsDNS1035Label))},
			field{"kind", true, r.checked(where+".kind", &read.Kind, r.named(where+".kind", func(kind string) []string {
				return validation.IsDNS1035Label(strings.ToLower(kind))
			}))},
			field{"resource", true, r.checked(where+".resource", &read.Resource, r.named(where+".resource", validation.IsDNS1035Label))},
			field{"codec", false, r.checked(where+".codec", &read.Codec, r.oneOf("codec", workload.Codecs()))},
		)
		*into = read
	}
}

// named is a check for names of the API.
func (r *reader) named(where string, wrongWith func(string) []string) func(*yaml.Node, string) {
	return func(node *yaml.Node, value string) {
		if wrong := wrongWith(value); len(wrong) > 0 {
			r.reject(node, "%s %q: %s", where, value, strings.Join(wrong, "; "))
		}
	}
}
