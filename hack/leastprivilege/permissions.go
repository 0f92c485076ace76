package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// permission is the least that RBAC can grant: one verb on one resource.
type permission struct {
	// kind and role are the ClusterRole's, or the Role's that grants it; namespace is the Role's.
	kind, namespace, role string
	group, resource, verb string
	// names are the only objects that it is for; empty if it is for all.
	names []string
	// at is its place among the permissions of the role: the same one may be granted twice.
	at int
}

// String is unique among permissions that are not granted twice: "ClusterRole update apps daemonsets/status".
func (p permission) String() string {
	words := []string{p.kind, p.verb, p.group, p.resource}
	if p.group == "" {
		words[2] = "core"
	}
	return strings.Join(append(words, p.names...), " ")
}

// unshown says why no spec of the exercise asks for the permission although the reference needs it, or nothing.
func (p permission) unshown() string {
	switch {
	case p.resource == "pods" && p.verb == "get":
		return "a pod of an eviction is looked for past the cache once that has lost it, when the specs of the exercise are over"
	case p.resource == "pods/status" && p.verb == "patch":
		return "a condition is set back two minutes after the eviction, which every trial would take longer"
	}
	return ""
}

// rule grants the permission and nothing else.
func (p permission) rule() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{p.group}, Resources: []string{p.resource}, Verbs: []string{p.verb}, ResourceNames: p.names}
}

// parse reads a manifest's objects, in their order.
func parse(manifest []byte) ([]*unstructured.Unstructured, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest)))
	var objects []*unstructured.Unstructured
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read a manifest: %w", err)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return nil, fmt.Errorf("read document %d of a manifest: %w", len(objects)+1, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// format writes the objects as one manifest.
func format(objects []*unstructured.Unstructured) ([]byte, error) {
	var manifest bytes.Buffer
	for _, object := range objects {
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, fmt.Errorf("write %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		manifest.WriteString("---\n")
		manifest.Write(document)
	}
	return manifest.Bytes(), nil
}

// permissions lists what the roles among the objects grant, in the order of the manifest.
func permissions(objects []*unstructured.Unstructured) ([]permission, error) {
	var all []permission
	for _, object := range objects {
		granted, err := granted(object)
		if err != nil {
			return nil, err
		}
		all = append(all, granted...)
	}
	return all, nil
}

// ofAnyResource reports whether the rule is about a subresource that any resource may have, such as a scale. Custom resources cannot be named beforehand.
func ofAnyResource(rule rbacv1.PolicyRule) bool {
	named := slices.ContainsFunc(rule.Resources, func(resource string) bool { return !strings.HasPrefix(resource, "*/") })
	return !named && !slices.Contains(rule.Verbs, rbacv1.VerbAll)
}

// granted lists the permissions of the object, none if it is no role. Rules that cannot be taken apart are an error.
func granted(object *unstructured.Unstructured) ([]permission, error) {
	if object.GroupVersionKind().Group != rbacv1.GroupName || object.GetKind() != "ClusterRole" && object.GetKind() != "Role" {
		return nil, nil
	}
	// A Role has of this what it has: metadata and rules.
	var role rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
		return nil, fmt.Errorf("read %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	var all []permission
	for _, rule := range role.Rules {
		if len(rule.NonResourceURLs) > 0 || slices.Contains(slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs), rbacv1.VerbAll) && !ofAnyResource(rule) {
			return nil, fmt.Errorf("%s %s has a rule that cannot be taken apart, with a wildcard or a URL: name groups, resources and verbs",
				object.GetKind(), object.GetName())
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, permission{
						kind: object.GetKind(), namespace: object.GetNamespace(), role: object.GetName(),
						group: group, resource: resource, verb: verb, names: rule.ResourceNames, at: len(all),
					})
				}
			}
		}
	}
	return all, nil
}

// without returns the objects with the permission taken out of its role, and all others left in. The objects given are not changed.
func without(objects []*unstructured.Unstructured, taken permission) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, object := range objects {
		object = object.DeepCopy()
		all = append(all, object)
		if object.GetKind() != taken.kind || object.GetNamespace() != taken.namespace || object.GetName() != taken.role {
			continue
		}
		before, err := granted(object)
		if err != nil {
			return nil, err
		}
		rules := []any{}
		for _, other := range before {
			if other.at == taken.at {
				continue
			}
			rule := other.rule()
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&rule)
			if err != nil {
				return nil, fmt.Errorf("write a rule of %s %s: %w", taken.kind, taken.role, err)
			}
			rules = append(rules, content)
		}
		object.Object["rules"] = rules
	}
	return all, nil
}
