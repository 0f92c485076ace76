package recorder

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Source is one thing to watch: a kind, in a namespace or selected by labels.
type Source struct {
	// Kind of the objects.
	Kind history.Kind
	// Namespace they are in; empty for cluster-scoped kinds.
	Namespace string
	// ListerWatcher gives them: a consistent read of all, and a watch from a resource version.
	ListerWatcher cache.ListerWatcherWithContext
}

func (s Source) name() string {
	if s.Namespace == "" {
		return string(s.Kind)
	}
	return fmt.Sprintf("%s in %s", s.Kind, s.Namespace)
}

// watch follows the source from the version on. It survives broken connections; it ends with an error event where it cannot resume.
func (s Source) watch(ctx context.Context, version string) (<-chan watch.Event, error) {
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, version, s.ListerWatcher)
	if err != nil {
		return nil, err
	}
	return watcher.ResultChan(), nil
}

// Cluster returns the sources for a scenario: in each namespace every namespaced kind that history knows, and the nodes with the labels.
func Cluster(client kubernetes.Interface, nodes labels.Set, namespaces ...string) []Source {
	sources := []Source{source(history.KindNode, "", client.CoreV1().Nodes(), func(options *metav1.ListOptions) {
		options.LabelSelector = labels.SelectorFromSet(nodes).String()
	})}
	for _, namespace := range namespaces {
		apps, core := client.AppsV1(), client.CoreV1()
		sources = append(sources,
			source(history.KindDaemonSet, namespace, apps.DaemonSets(namespace), nil),
			source(history.KindControllerRevision, namespace, apps.ControllerRevisions(namespace), nil),
			source(history.KindStatefulSet, namespace, apps.StatefulSets(namespace), nil),
			source(history.KindPodDisruptionBudget, namespace, client.PolicyV1().PodDisruptionBudgets(namespace), nil),
			source(history.KindPod, namespace, core.Pods(namespace), nil),
			source(history.KindEvent, namespace, core.Events(namespace), nil),
		)
	}
	return sources
}

// listWatcher is what every typed client offers.
type listWatcher[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

func source[L runtime.Object](kind history.Kind, namespace string, client listWatcher[L], restrict func(*metav1.ListOptions)) Source {
	if restrict == nil {
		restrict = func(*metav1.ListOptions) {}
	}
	return Source{Kind: kind, Namespace: namespace, ListerWatcher: &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			restrict(&options)
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			restrict(&options)
			return client.Watch(ctx, options)
		},
	}}
}

// trim drops what no judge looks at and makes up most of an object's size.
func trim(object history.Object) {
	object.SetManagedFields(nil)
	if pod, ok := object.(*corev1.Pod); ok {
		pod.Spec.Volumes = nil
		for i := range pod.Spec.Containers {
			pod.Spec.Containers[i].VolumeMounts = nil
		}
	}
	if node, ok := object.(*corev1.Node); ok {
		node.Status.Images = nil
	}
}
