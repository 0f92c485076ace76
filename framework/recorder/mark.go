package recorder

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// errNothingToMark is returned by a Source.Mark where there is no place for a mark: the namespace does not exist, or no node is the scenario's.
var errNothingToMark = errors.New("there is nothing to mark")

// mark changes the annotation of one of the source's objects. If there is none, it makes an inert one, unless none may be made.
func (s Source) mark(ctx context.Context, c client.Client, definition history.Definition) (uint64, error) {
	objects, _, err := s.list(ctx)
	if err != nil {
		return 0, err
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, history.MarkAnnotation, strconv.FormatInt(time.Now().UnixNano(), 10))
	for _, object := range objects {
		err := c.Patch(ctx, object.Object, client.RawPatch(types.MergePatchType, patch))
		if !apierrors.IsNotFound(err) {
			return versionOf(object.Object, err)
		}
	}
	made := definition.NewInert(s.Namespace)
	if made == nil {
		return 0, errNothingToMark
	}
	err = c.Create(ctx, made)
	if apierrors.IsNotFound(err) {
		return 0, errNothingToMark
	}
	return versionOf(made, err)
}

func versionOf(object metav1.Object, err error) (uint64, error) {
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(object.GetResourceVersion(), 10, 64)
}
