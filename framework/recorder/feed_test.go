package recorder_test

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// feed is a source that is empty at the start and then delivers what it is handed, and remembers nothing.
type feed struct{ events chan watch.Event }

func newFeed() feed { return feed{events: make(chan watch.Event)} }

func (f feed) ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error) {
	return &corev1.List{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
}

func (f feed) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(f.events), nil
}
