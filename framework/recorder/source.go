package recorder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	// delivered by then is all there was before: see Recorder.CatchUp. Nil where nothing may be written: see Passively.
	Mark func(context.Context) (uint64, error)
	// Wants reports whether a change is to be recorded, by what was last recorded of the object (nil for nothing) and what it is now. The end of what was recorded always is. Default: every
	// change.
	Wants func(before, now history.Object) bool
	// Managers keeps who has written to the objects, which a recording leaves out otherwise.
	Managers bool
}

// wants reports whether the change is to be recorded.
func (s Source) wants(before, now history.Object) bool {
	return s.Wants == nil || s.Wants(before, now)
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
	objects, version, err := s.read(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", s.name(), err)
	}
	return objects, version, nil
}

// current returns the version that the source is at now.
func (s Source) current(ctx context.Context) (uint64, error) {
	_, version, err := s.read(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, fmt.Errorf("list %s: %w", s.name(), err)
	}
	return version, nil
}

func (s Source) read(ctx context.Context, options metav1.ListOptions) ([]versioned, uint64, error) {
	list, err := s.ListerWatcher.ListWithContext(ctx, options)
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
		s.trim(object.Object)
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

// NewClient returns the client of a cluster that Nodes and Namespaced take. It asks for no discovery: what it has to know of a kind is in
// history.Definitions.
func NewClient(config *rest.Config) (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, d := range history.Definitions() {
		scheme.AddKnownTypeWithName(d.GroupVersionKind, d.Empty)
		scheme.AddKnownTypeWithName(d.GroupVersion().WithKind(d.GroupVersionKind.Kind+"List"), d.EmptyList)
		metav1.AddToGroupVersion(scheme, d.GroupVersion())
		resource := d.GroupVersion().WithResource(d.Resource)
		var scope meta.RESTScope = meta.RESTScopeRoot
		if d.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		mapper.AddSpecific(d.GroupVersionKind, resource, resource, scope)
	}
	config = rest.CopyConfig(config)
	config.WarningHandlerWithContext = rest.WarningLogger{}
	return client.NewWithWatch(config, client.Options{Scheme: scheme, Mapper: mapper, Log: klog.Background()})
}

// Nodes returns the source for the nodes with the labels.
func Nodes(c client.WithWatch, nodes labels.Set) (Source, error) {
	return source(c, history.KindNode, client.ListOptions{LabelSelector: labels.SelectorFromSet(nodes)})
}

// Namespaced returns the source for each of the kinds in the namespace. It fails for a kind that is not in a namespace, or that nobody can record.
// In a namespace that is not the scenario's own there should be one of each: the recording marks one of them.
func Namespaced(c client.WithWatch, namespace string, kinds ...history.Kind) ([]Source, error) {
	var sources []Source
	for _, kind := range kinds {
		s, err := source(c, kind, client.ListOptions{Namespace: namespace})
		if err != nil {
			return nil, fmt.Errorf("record %s in namespace %s: %w", kind, namespace, err)
		}
		sources = append(sources, s)
	}
	return sources, nil
}

func source(c client.WithWatch, kind history.Kind, which client.ListOptions) (Source, error) {
	definition, err := history.Define(kind)
	if err != nil {
		return Source{}, err
	}
	if definition.Namespaced != (which.Namespace != "") {
		return Source{}, errors.New("it is no kind that can be recorded there")
	}
	s := reading(c, definition, which)
	s.Mark = func(ctx context.Context) (uint64, error) { return s.mark(ctx, c, definition) }
	return s, nil
}

// Passively returns the source for a kind, in the namespace if one is named and otherwise everywhere. Nothing is written: that a recording is complete is
// proven by bookmarks.
func Passively(c client.WithWatch, kind history.Kind, namespace string) (Source, error) {
	definition, err := history.Define(kind)
	if err != nil {
		return Source{}, err
	}
	return reading(c, definition, client.ListOptions{Namespace: namespace}), nil
}

// reading is the source of a kind, without a mark.
func reading(c client.WithWatch, definition history.Definition, which client.ListOptions) Source {
	list := func(options metav1.ListOptions) (client.ObjectList, *client.ListOptions) {
		which := which
		which.Raw = &options
		return definition.NewList(), &which
	}
	return Source{Kind: definition.Name(), Namespace: which.Namespace, ListerWatcher: &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			all, which := list(options)
			return all, c.List(ctx, all, which)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			all, which := list(options)
			return c.Watch(ctx, all, which)
		},
	}}
}

// trim drops what no judge looks at and makes up most of an object's size.
func (s Source) trim(object history.Object) {
	managers := object.GetManagedFields()
	for i := range managers {
		managers[i].FieldsV1 = nil
	}
	if !s.Managers {
		managers = nil
	}
	object.SetManagedFields(managers)
	if pod, ok := object.(*corev1.Pod); ok {
		trimToken(&pod.Spec)
	}
	if node, ok := object.(*corev1.Node); ok {
		node.Status.Images = nil
	}
}

// tokenVolume begins the name of the volume that the API server adds to a pod, for its service account's token.
const tokenVolume = "kube-api-access"

// trimToken leaves of that volume its name, without what makes each pod's another: a pod without any volume is one of a recording from before volumes were recorded.
func trimToken(spec *corev1.PodSpec) {
	isToken := func(name string) bool { return strings.HasPrefix(name, tokenVolume+"-") }
	for i, volume := range spec.Volumes {
		if isToken(volume.Name) {
			spec.Volumes[i] = corev1.Volume{Name: tokenVolume}
		}
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			containers[i].VolumeMounts = slices.DeleteFunc(containers[i].VolumeMounts, func(mount corev1.VolumeMount) bool { return isToken(mount.Name) })
		}
	}
}
