package recorder

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

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
	// Mark makes an event that this source's watch delivers and that means nothing to anybody, and returns its version. What the watch has
	// delivered by then is all there was before: see Recorder.CatchUp.
	Mark func(context.Context) (uint64, error)
}

func (s Source) name() string {
	if s.Namespace == "" {
		return string(s.Kind)
	}
	return fmt.Sprintf("%s in %s", s.Kind, s.Namespace)
}

// versioned is an object with its place in the order.
type versioned struct {
	history.Object
	version uint64
}

func (s Source) versioned(received runtime.Object) (versioned, error) {
	object, ok := received.(history.Object)
	if !ok {
		return versioned{}, fmt.Errorf("got a %T, which is not an object", received)
	}
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	if err != nil {
		return versioned{}, fmt.Errorf("resourceVersion of %s %q: %w", s.Kind, object.GetName(), err)
	}
	return versioned{Object: object, version: version}, nil
}

// list reads the source consistently, not from a cache that may be old, and returns the version that it is the state of.
func (s Source) list(ctx context.Context) ([]versioned, uint64, error) {
	objects, version, err := s.read(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", s.name(), err)
	}
	return objects, version, nil
}

func (s Source) read(ctx context.Context) ([]versioned, uint64, error) {
	list, err := s.ListerWatcher.ListWithContext(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, 0, err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, 0, err
	}
	objects := make([]versioned, 0, len(items))
	for _, item := range items {
		object, err := s.versioned(item)
		if err != nil {
			return nil, 0, err
		}
		trim(object.Object)
		objects = append(objects, object)
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, 0, err
	}
	version, err := strconv.ParseUint(accessor.GetResourceVersion(), 10, 64)
	if err != nil {
		return nil, 0, fmt.Errorf("resourceVersion: %w", err)
	}
	return objects, version, nil
}

// watch follows the source from behind the version on.
func (s Source) watch(ctx context.Context, after uint64, options metav1.ListOptions) (watch.Interface, error) {
	options.ResourceVersion = strconv.FormatUint(after, 10)
	options.AllowWatchBookmarks = true
	watcher, err := s.ListerWatcher.WatchWithContext(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("watch %s from resourceVersion %d: %w", s.name(), after, err)
	}
	return watcher, nil
}

// Nodes returns the source for the nodes with the labels. Nobody but the scenario gives nodes these labels, and it waits until it sees them: where none
// ever showed none ever was, so no node need be made as a mark.
func Nodes(client kubernetes.Interface, nodes labels.Set) Source {
	selected := source(history.KindNode, "", client.CoreV1().Nodes(), nil, func(options *metav1.ListOptions) {
		options.LabelSelector = labels.SelectorFromSet(nodes).String()
	})
	selected.Mark = func(ctx context.Context) (uint64, error) { return markOne(ctx, selected, client.CoreV1().Nodes()) }
	return selected
}

// Namespaced returns the source for each of the kinds in the namespace. It fails for a kind that is not in a namespace, or that nobody can record.
// In a namespace that is not the scenario's own there should be one of each: the recording marks one of them.
func Namespaced(client kubernetes.Interface, namespace string, kinds ...history.Kind) ([]Source, error) {
	var sources []Source
	for _, kind := range kinds {
		var s Source
		switch kind {
		case history.KindDaemonSet:
			s = source(kind, namespace, client.AppsV1().DaemonSets(namespace), inertDaemonSet(), nil)
		case history.KindControllerRevision:
			s = source(kind, namespace, client.AppsV1().ControllerRevisions(namespace), inertRevision(), nil)
		case history.KindPod:
			s = source(kind, namespace, client.CoreV1().Pods(namespace), inertPod(), nil)
		case history.KindStatefulSet:
			s = source(kind, namespace, client.AppsV1().StatefulSets(namespace), inertStatefulSet(), nil)
		case history.KindPodDisruptionBudget:
			s = source(kind, namespace, client.PolicyV1().PodDisruptionBudgets(namespace), inertBudget(), nil)
		case history.KindEvent:
			s = source(kind, namespace, client.CoreV1().Events(namespace), &corev1.Event{}, nil)
		default:
			return nil, fmt.Errorf("record %s in namespace %s: it is no kind that can be recorded there", kind, namespace)
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// typedClient is what every typed client offers.
type typedClient[O, L runtime.Object] interface {
	writer[O]
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

func source[O, L runtime.Object](kind history.Kind, namespace string, client typedClient[O, L], inert O, restrict func(*metav1.ListOptions)) Source {
	if restrict == nil {
		restrict = func(*metav1.ListOptions) {}
	}
	s := Source{Kind: kind, Namespace: namespace, ListerWatcher: &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			restrict(&options)
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			restrict(&options)
			return client.Watch(ctx, options)
		},
	}}
	s.Mark = func(ctx context.Context) (uint64, error) { return mark(ctx, s, client, inert) }
	return s
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
