package scenario

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
)

// unasked are Authors that nobody asks.
type unasked struct{ Authors }

func TestPodsHaveToBeAdmittedWhereNobodyLearnsOfRefusals(t *testing.T) {
	quota := apierrors.NewForbidden(corev1.Resource("pods"), "probe", errors.New("exceeded quota: compute"))
	noDryRun := apierrors.NewBadRequest(`admission webhook "w" does not support dry run`)
	for name, row := range map[string]struct {
		answers []error
		authors Authors
		tries   int
		ends    bool
	}{
		"they are":                    {[]error{nil}, nil, 1, false},
		"they come to be":             {[]error{quota, quota, nil}, nil, 3, false},
		"nobody can tell":             {[]error{noDryRun}, nil, 1, false},
		"they are not":                {[]error{quota}, nil, -1, true},
		"another bad request":         {[]error{apierrors.NewBadRequest("no")}, nil, -1, true},
		"the audit log tells of that": {[]error{quota}, unasked{}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client, tries := fake.NewClientset(), 0
			client.PrependReactor("create", "pods", func(kubetesting.Action) (bool, runtime.Object, error) {
				tries++
				return true, &corev1.Pod{}, row.answers[min(tries, len(row.answers))-1]
			})
			s := &Scenario{tb: ended{}, namespace: "n", admin: client, env: Environment{Authors: row.authors, Patience: 200 * time.Millisecond}}
			try := func() { s.requireAdmission(context.Background()) }
			if row.ends {
				g.Expect(try).To(Panic())
				return
			}
			try()
			try()
			g.Expect(tries).To(Equal(row.tries), "it is tried until it is admitted, and not again")
		})
	}
}
