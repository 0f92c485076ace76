package around

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// insistence is for how long an Insistent client tries.
const insistence = time.Second

// Insistent returns a client that sends a patch or a deletion of a pod which the API server forbids, or takes for invalid, again and again for a second, without a
// pause.
func Insistent(c client.Client) client.Client { return insistent{c} }

type insistent struct{ client.Client }

// Patch implements client.Client.
func (i insistent) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	return insist(object, func() error { return i.Client.Patch(ctx, object, patch, options...) })
}

// Delete implements client.Client.
func (i insistent) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	return insist(object, func() error { return i.Client.Delete(ctx, object, options...) })
}

func insist(object client.Object, write func() error) error {
	until := time.Now().Add(insistence)
	for {
		err := write()
		_, isPod := object.(*corev1.Pod)
		if !isPod || !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) || time.Now().After(until) {
			return err
		}
	}
}
