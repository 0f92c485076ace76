package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/fixtures"
	"github.com/rollcall-conformance/rollcall/framework/passive"
)

// shipped are the rules that fixtures/rbac/watch.yaml grants, one for each resource and verb.
func shipped(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	text, err := fs.ReadFile(fixtures.Files(), "rbac/watch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var single []rbacv1.PolicyRule
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var role rbacv1.ClusterRole
		if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
			return single
		} else if err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					single = append(single, rbacv1.PolicyRule{APIGroups: rule.APIGroups, Resources: []string{resource}, Verbs: []string{verb}})
				}
			}
		}
	}
}

// userWith makes a user with those permissions, who is known to the API server.
func userWith(w *world, name string, granted []rbacv1.PolicyRule) *rest.Config {
	w.Helper()
	w.must(w.client.RbacV1().ClusterRoles().Create(w.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: granted}, metav1.CreateOptions{}))
	w.must(w.client.RbacV1().ClusterRoleBindings().Create(w.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
	}, metav1.CreateOptions{}))
	attributes := &authorizationv1.ResourceAttributes{Group: granted[0].APIGroups[0], Resource: granted[0].Resources[0], Verb: granted[0].Verbs[0]}
	w.await("the API server knows the permissions", func() (bool, error) {
		review, err := w.client.AuthorizationV1().SubjectAccessReviews().Create(w.Context(), &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: name, ResourceAttributes: attributes},
		}, metav1.CreateOptions{})
		return err == nil && review.Status.Allowed, err
	})
	user := rest.CopyConfig(config)
	user.Impersonate = rest.ImpersonationConfig{UserName: name}
	return user
}

func TestThePermissionsThatAreShippedSufficeAndEachIsNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := shipped(t)
	watchAs := func(user *rest.Config) (*passive.Result, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return passive.Watch(ctx, passive.Options{
			Config: user, Targets: passive.Targets{Namespace: w.namespace}, Folder: t.TempDir(), Size: whole, Tell: newHeard(),
		})
	}
	t.Run("all", func(t *testing.T) {
		result, err := watchAs(userWith(w, w.namespace+"-all", all))
		if err != nil || result.Unproven != "" {
			t.Errorf("got %v, %+v", err, result)
		}
	})
	for i, missing := range all {
		name := fmt.Sprintf("without-%s-%s", missing.Verbs[0], missing.Resources[0])
		t.Run(name, func(t *testing.T) {
			_, err := watchAs(userWith(w, w.namespace+"-"+name, slices.Delete(slices.Clone(all), i, i+1)))
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "cannot "+missing.Verbs[0]+` resource "`+missing.Resources[0]+`"`) {
				t.Errorf("got %v", err)
			}
		})
	}
}
