package spec

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/rollcall-conformance/rollcall/framework/audit"
)

// clientOf is a client whose user has this name, or cannot find out.
func clientOf(user string, err error) *fake.Clientset {
	client := fake.NewClientset()
	client.PrependReactor("create", "selfsubjectreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{
			UserInfo: authenticationv1.UserInfo{Username: user},
		}}, err
	})
	return client
}

func TestAuthorsAreFoundWhereThereIsAnAuditLog(t *testing.T) {
	g := NewWithT(t)
	authors, err := Session{}.authors(t.Context(), clientOf("admin", nil))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(authors).To(BeNil())

	audited := Session{Audited: true, AuditFolder: "/some/folder", ImplementationUsers: []string{"controller"}}
	authors, err = audited.authors(t.Context(), clientOf("admin", nil))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(authors).To(Equal(audit.Authors{
		Log: audit.Folder("/some/folder"), Users: audit.Users{Implementation: []string{"controller"}, Harness: []string{"admin"}},
	}))

	unknown := errors.New("who am I?")
	_, err = audited.authors(t.Context(), clientOf("", unknown))
	g.Expect(err).To(MatchError(unknown))
}
