package main

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const manifest = `# A comment.
apiVersion: v1
kind: Namespace
metadata: {name: system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: worker}
rules:
  - {apiGroups: [""], resources: [pods, nodes], verbs: [list, watch]}
  - {apiGroups: [apps], resources: [daemonsets/status], verbs: [update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: worker, namespace: system}
rules:
  - {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [mine], verbs: [get, get]}
`

func TestPermissionsAreTakenApart(t *testing.T) {
	want := []string{
		"ClusterRole list core pods", "ClusterRole watch core pods", "ClusterRole list core nodes", "ClusterRole watch core nodes",
		"ClusterRole update apps daemonsets/status", "Role get coordination.k8s.io leases mine", "Role get coordination.k8s.io leases mine",
	}
	if got := granting(t, parsed(t, manifest)); !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestOnePermissionIsTakenAndAllOthersAreLeft(t *testing.T) {
	objects := parsed(t, manifest)
	all, err := permissions(objects)
	if err != nil {
		t.Fatal(err)
	}
	for i, taken := range all {
		left, err := without(objects, taken)
		if err != nil {
			t.Fatal(err)
		}
		// As it is applied: written and read again.
		written, err := format(left)
		if err != nil {
			t.Fatal(err)
		}
		reread := parsed(t, string(written))
		want := slices.Delete(granting(t, objects), i, i+1)
		if got := granting(t, reread); !slices.Equal(got, want) {
			t.Errorf("without %s: got\n  %s\nwant\n  %s", taken, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
		if len(reread) != 3 || reread[0].GetKind() != "Namespace" || reread[2].GetNamespace() != "system" {
			t.Errorf("without %s: the objects are not those given:\n%s", taken, written)
		}
	}
	if got := len(granting(t, objects)); got != len(all) {
		t.Errorf("the objects given were changed: %d permissions are left", got)
	}
}

func TestRulesThatCannotBeTakenApartAreRefused(t *testing.T) {
	for _, rule := range []string{
		`{apiGroups: ["*"], resources: [pods], verbs: [list]}`, `{apiGroups: [""], resources: ["*"], verbs: [list]}`,
		`{apiGroups: [""], resources: [pods], verbs: ["*"]}`, `{nonResourceURLs: [/metrics], verbs: [get]}`,
		`{apiGroups: ["*"], resources: ["*/scale", pods], verbs: [get]}`, `{apiGroups: ["*"], resources: ["*/scale"], verbs: ["*"]}`,
	} {
		role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: worker}\nrules: [" + rule + "]\n"
		if _, err := permissions(parsed(t, role)); err == nil || !strings.Contains(err.Error(), "ClusterRole worker") {
			t.Errorf("%s: got %v, want an error that names the role", rule, err)
		}
	}
}

func TestASubresourceOfAnyResourceIsOnePermission(t *testing.T) {
	role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: worker}\nrules: [{apiGroups: ['*'], resources: ['*/scale'], verbs: [get]}]\n"
	all, err := permissions(parsed(t, role))
	if err != nil || len(all) != 1 || all[0].String() != "ClusterRole get * */scale" {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestTheReferenceIsGrantedNothingTwice(t *testing.T) {
	objects, err := reference()
	if err != nil {
		t.Fatal(err)
	}
	names := granting(t, objects)
	if len(names) == 0 {
		t.Error("the reference's manifests grant nothing")
	}
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			t.Errorf("%s is granted twice", names[i])
		}
	}
}

func parsed(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// granting is what the objects grant, by name.
func granting(t *testing.T, objects []*unstructured.Unstructured) []string {
	t.Helper()
	all, err := permissions(objects)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.String())
	}
	return names
}
