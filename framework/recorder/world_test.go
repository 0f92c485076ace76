package recorder_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// world is an API server for tests: one order of versions over all kinds, and watches that can be held up, cut and made to expire.
type world struct {
	t testing.TB

	mu      sync.Mutex
	version uint64
	log     []logged
	changed chan struct{}

	// held kinds' watches deliver nothing.
	held map[history.Kind]bool
	// cuts counts how often the watches of a kind were cut.
	cuts map[history.Kind]int
	// forgotten is the version from before which a kind's watches are refused.
	forgotten map[history.Kind]uint64
	// refuse makes requests to watch a kind fail.
	refuse map[history.Kind]error
	// beforeWatch is called before a watch is answered.
	beforeWatch func(history.Kind)
	// marks counts the marks made, requests those to watch, open the watches that nobody has stopped.
	marks    map[history.Kind]int
	requests map[history.Kind]int
	open     int
}

type logged struct {
	version uint64
	kind    history.Kind
	event   watch.EventType
	object  history.Object
}

func newWorld(t testing.TB) *world {
	return &world{
		t: t, version: 10, changed: make(chan struct{}), held: map[history.Kind]bool{}, cuts: map[history.Kind]int{},
		forgotten: map[history.Kind]uint64{}, refuse: map[history.Kind]error{}, requests: map[history.Kind]int{}, marks: map[history.Kind]int{},
	}
}

// sources of the kinds.
func (w *world) sources(kinds ...history.Kind) []recorder.Source {
	var sources []recorder.Source
	for _, kind := range kinds {
		sources = append(sources, recorder.Source{Kind: kind, ListerWatcher: &cache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return w.list(kind) },
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return w.watch(ctx, kind, options)
			},
		}, Mark: func(context.Context) (uint64, error) {
			version := w.happens(watch.Added, kind, "mark")
			w.change(func() { w.marks[kind]++ })
			return version, nil
		}})
	}
	return sources
}

// happens makes an event and returns its version.
func (w *world) happens(event watch.EventType, kind history.Kind, name string) uint64 {
	object, err := history.NewObject(kind)
	if err != nil {
		w.t.Fatal(err)
	}
	object.SetName(name)
	object.SetUID(types.UID(name))
	w.change(func() {
		w.version++
		object.SetResourceVersion(strconv.FormatUint(w.version, 10))
		w.log = append(w.log, logged{version: w.version, kind: kind, event: event, object: object})
	})
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	if err != nil {
		w.t.Fatal(err)
	}
	return version
}

func (w *world) hold(kind history.Kind)    { w.change(func() { w.held[kind] = true }) }
func (w *world) release(kind history.Kind) { w.change(func() { w.held[kind] = false }) }
func (w *world) cut(kind history.Kind)     { w.change(func() { w.cuts[kind]++ }) }

// forget makes the API server forget everything about the kind that is not current, and cuts the watches.
func (w *world) forget(kind history.Kind) {
	w.change(func() {
		w.forgotten[kind] = w.version
		w.cuts[kind]++
	})
}

func (w *world) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *world) openWatches() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open
}

func (w *world) marksOf(kind history.Kind) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.marks[kind]
}

func (w *world) requestsFor(kind history.Kind) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[kind]
}

func (w *world) list(kind history.Kind) (runtime.Object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := &corev1.List{ListMeta: metav1.ListMeta{ResourceVersion: strconv.FormatUint(w.version, 10)}}
	for i, entry := range w.log {
		newer := func(later logged) bool { return later.kind == kind && later.object.GetUID() == entry.object.GetUID() }
		if entry.kind == kind && entry.event != watch.Deleted && !slices.ContainsFunc(w.log[i+1:], newer) {
			list.Items = append(list.Items, runtime.RawExtension{Object: entry.object.DeepCopyObject()})
		}
	}
	return list, nil
}

func gone() *apierrors.StatusError { return apierrors.NewResourceExpired("too old resource version") }

func (w *world) watch(ctx context.Context, kind history.Kind, options metav1.ListOptions) (watch.Interface, error) {
	if w.beforeWatch != nil {
		w.beforeWatch(kind)
	}
	after, err := strconv.ParseUint(options.ResourceVersion, 10, 64)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests[kind]++
	if err := w.refuse[kind]; err != nil {
		return nil, err
	}
	w.open++
	events := make(chan watch.Event)
	proxy := watch.NewProxyWatcher(events)
	cuts := w.cuts[kind]
	go func() {
		defer close(events)
		defer func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.open--
		}()
		for {
			w.mu.Lock()
			event, changed := w.next(kind, after), w.changed
			halted, ended := w.held[kind], w.cuts[kind] != cuts
			if after < w.forgotten[kind] && !ended {
				event = &logged{version: after, event: watch.Error}
			}
			w.mu.Unlock()
			if ended {
				return
			}
			sent := watch.Event{}
			switch {
			case halted:
			case event != nil && event.event == watch.Error:
				status := gone().Status()
				sent = watch.Event{Type: watch.Error, Object: &status}
			case event != nil:
				sent = watch.Event{Type: event.event, Object: event.object.DeepCopyObject()}
				after = event.version
			case options.TimeoutSeconds != nil:
				// A watch that is to end says how far it has come.
				sent = watch.Event{Type: watch.Bookmark, Object: w.bookmark()}
			}
			if sent.Object == nil {
				select {
				case <-changed:
				case <-ctx.Done():
					return
				case <-proxy.StopChan():
					return
				}
				continue
			}
			select {
			case events <- sent:
			case <-ctx.Done():
				return
			case <-proxy.StopChan():
				return
			}
			if sent.Type == watch.Error || sent.Type == watch.Bookmark {
				return
			}
		}
	}()
	return proxy, nil
}

func (w *world) bookmark() *corev1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.FormatUint(w.version, 10)}}
}

func (w *world) next(kind history.Kind, after uint64) *logged {
	for i := range w.log {
		if w.log[i].kind == kind && w.log[i].version > after {
			return &w.log[i]
		}
	}
	return nil
}

// forbidden is what a client without rights gets.
func forbidden() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "no rights"}}
}
