package spec

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// authors finds the authors of changes on the cluster that all specs share, by its audit log; nil where it keeps none.
func (s Session) authors(ctx context.Context, client kubernetes.Interface) (scenario.Authors, error) {
	switch {
	case !s.Audited:
		return nil, nil
	case s.AuditFolder != "":
		return authorsBy(ctx, audit.Folder(s.AuditFolder), client, s.ImplementationUsers, s.Workload)
	}
	nodes, err := kind.Attach(ctx, s.Launch.Kind, s.Kubeconfig)
	if err != nil {
		return nil, err
	}
	return authorsBy(ctx, nodes.AuditLog(), client, s.ImplementationUsers, s.Workload)
}

// authors is Session.authors for the cluster of a spec that is alone.
func (o *own) authors(ctx context.Context, client kubernetes.Interface) (scenario.Authors, error) {
	keeper, ok := o.cluster.(audit.Keeper)
	if !ok {
		return nil, nil
	}
	users, err := o.tested.Users(o.options)
	if err != nil {
		return nil, err
	}
	return authorsBy(ctx, keeper.AuditLog(), client, users, o.tested.Workload)
}

// authorsBy knows the implementation's user names; the harness's is whoever has the client that scenarios use.
func authorsBy(
	ctx context.Context, log audit.Log, client kubernetes.Interface, implementation []string, tested workload.Workload,
) (scenario.Authors, error) {
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("find under which user name scenarios act: %w", err)
	}
	return audit.Authors{
		Log: log, Users: audit.Users{Implementation: implementation, Harness: []string{review.Status.UserInfo.Username}}, Workload: tested,
	}, nil
}
