package admission

import (
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"context"
)

func names(policies []*unstructured.Unstructured) []string {
	var all []string
	for _, policy := range policies {
		all = append(all, policy.GetKind()+" "+policy.GetName())
	}
	return all
}

func TestThePoliciesOfOneSettingAreThoseNotWantedWithTheOther(t *testing.T) {
	g := NewWithT(t)
	on, notOn, err := Policies(true)
	g.Expect(err).NotTo(HaveOccurred())
	off, notOff, err := Policies(false)
	g.Expect(err).NotTo(HaveOccurred())
	always := []string{"ValidatingAdmissionPolicy pod-update-policy.rollcall.dev", "ValidatingAdmissionPolicyBinding pod-update-policy.rollcall.dev"}
	g.Expect(names(on)).To(ConsistOf(always[0], always[1],
		"ValidatingAdmissionPolicy surge-without-host-ports.rollcall.dev", "ValidatingAdmissionPolicyBinding surge-without-host-ports.rollcall.dev"))
	g.Expect(names(off)).To(ConsistOf(always[0], always[1],
		"MutatingAdmissionPolicy surge-disabled.rollcall.dev", "MutatingAdmissionPolicyBinding surge-disabled.rollcall.dev"))
	g.Expect(append(always, names(notOn)...)).To(Equal(names(off)))
	g.Expect(append(always, names(notOff)...)).To(Equal(names(on)))
}

// server answers creations of DaemonSets as an API server does with these policies in force.
func server(t *testing.T, on, off, policies bool) client.Client {
	t.Helper()
	return interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme.Scheme).Build(), interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, object client.Object, options ...client.CreateOption) error {
			var o client.CreateOptions
			for _, option := range options {
				option.ApplyToCreate(&o)
			}
			if len(o.DryRun) == 0 {
				t.Error("something is to be stored")
			}
			ds := object.(*appsv1.DaemonSet)
			if policy := ds.Annotations["rollcall.dev/pod-update-policy"]; policy != "" {
				if !policies {
					return nil
				}
				return apierrors.NewInvalid(schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, ds.Name, field.ErrorList{
					field.NotSupported(field.NewPath("metadata", "annotations"), policy, []string{"InPlaceIfPossible", "Recreate"}),
				})
			}
			if off && ds.Name != "rollcall-admission-unchanged" {
				zero := intstr.FromInt32(0)
				ds.Spec.UpdateStrategy.RollingUpdate.MaxSurge = &zero
				return nil
			}
			if on {
				return apierrors.NewInvalid(schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, ds.Name, field.ErrorList{
					field.Invalid(field.NewPath("spec", "updateStrategy", "rollingUpdate", "maxSurge"), 1, "must be 0 while a container uses a host port"),
				})
			}
			return nil
		},
	})
}

func TestItIsReadyOnceTheApiServerObeysThePoliciesOfItsSettingAndNoOthers(t *testing.T) {
	for _, row := range []struct {
		name    string
		surge   bool
		on, off bool
		// policies: that about pod update policies is in force.
		policies bool
		ready    bool
	}{
		{"on, in force", true, true, false, true, true},
		{"on, not yet in force", true, false, false, true, false},
		{"on, the other still in force", true, true, true, true, false},
		{"on, pod update policies not yet", true, true, false, false, false},
		{"off, in force", false, false, true, true, true},
		{"off, not yet in force", false, false, false, true, false},
		{"off, the other still in force", false, true, true, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			e, err := newEnforcer(server(t, row.on, row.off, row.policies), Options{Surge: row.surge, Namespace: "rollcall-system"})
			g.Expect(err).NotTo(HaveOccurred())
			request := httptest.NewRequest(http.MethodGet, "/readyz", nil)
			if row.ready {
				g.Expect(e.obeyed(request)).To(Succeed())
			} else {
				g.Expect(e.obeyed(request)).To(MatchError(ContainSubstring("does not obey the admission policies yet")))
			}
		})
	}
}

func TestAnotherRefusalIsNoAnswer(t *testing.T) {
	g := NewWithT(t)
	_, err := answerTo(nil, apierrors.NewForbidden(schema.GroupResource{Resource: "daemonsets"}, "x", nil))
	g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
}

func TestWhereItsOwnPoliciesDoNotExistTheOthersAreTakenAwayAllTheSame(t *testing.T) {
	g := NewWithT(t)
	var deleted []string
	c := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme.Scheme).Build(), interceptor.Funcs{
		Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
			return &meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "MutatingAdmissionPolicy"}}
		},
		Delete: func(_ context.Context, _ client.WithWatch, object client.Object, _ ...client.DeleteOption) error {
			deleted = append(deleted, object.GetName())
			return nil
		},
	})
	e, err := newEnforcer(c, Options{Surge: false, Namespace: "rollcall-system"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(e.apply(t.Context())).To(Succeed())
	g.Expect(deleted).To(HaveLen(2))
	g.Expect(e.obeyed(httptest.NewRequest(http.MethodGet, "/readyz", nil))).To(Succeed())
}
