package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// daemonSetGroupKind is what kubectl knows DaemonSets by.
var daemonSetGroupKind = appsv1.SchemeGroupVersion.WithKind("DaemonSet").GroupKind()

// RolloutStatus is a `kubectl rollout status` under way.
type RolloutStatus struct {
	cancel context.CancelFunc

	mu    sync.Mutex
	lines []string
	ended bool
}

// RolloutStatus begins what `kubectl rollout status` does for the DaemonSet, and marks where it ends by itself. Stop ends it otherwise.
func (s *Scenario) RolloutStatus(ctx context.Context, daemonSet *appsv1.DaemonSet, ended history.Mark) *RolloutStatus {
	s.tb.Helper()
	viewer, err := polymorphichelpers.StatusViewerFor(daemonSetGroupKind)
	s.must(err, "find what shows the status of a rollout")
	r := &RolloutStatus{}
	ctx, r.cancel = context.WithCancel(ctx)
	client := s.admin.AppsV1().DaemonSets(daemonSet.Namespace)
	only := fields.OneTermEqualSelector("metadata.name", daemonSet.Name).String()
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = only
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = only
			return client.Watch(ctx, options)
		},
	}
	go func() {
		_, err := watchtools.UntilWithSync(ctx, source, &appsv1.DaemonSet{}, nil, func(event watch.Event) (bool, error) { return r.show(viewer, event) })
		if err == nil {
			err = s.recorder.Mark(ended)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.ended = err == nil; err != nil {
			r.lines = append(r.lines, "error: "+err.Error())
		}
	}()
	return r
}

// show prints what kubectl prints of an event, once as long as that is the same, and reports whether the rollout is over.
func (r *RolloutStatus) show(viewer polymorphichelpers.StatusViewer, event watch.Event) (bool, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(event.Object)
	if err != nil {
		return false, err
	}
	text, over, err := viewer.Status(&unstructured.Unstructured{Object: content}, 0)
	line := strings.TrimSpace(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) == 0 || r.lines[len(r.lines)-1] != line {
		r.lines = append(r.lines, line)
	}
	return over, err
}

// Lines are what it has printed so far.
func (r *RolloutStatus) Lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// Ended reports whether it has ended by itself.
func (r *RolloutStatus) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// Stop ends it.
func (r *RolloutStatus) Stop() { r.cancel() }

// RolloutHistory returns what `kubectl rollout history` prints for the DaemonSet, or for one of its revisions, by lines. Revision 0 stands for all.
func (s *Scenario) RolloutHistory(daemonSet *appsv1.DaemonSet, revision int64) []string {
	s.tb.Helper()
	viewer, err := polymorphichelpers.HistoryViewerFor(daemonSetGroupKind, s.client)
	s.must(err, "find what shows the history of a rollout")
	text, err := viewer.ViewHistory(daemonSet.Namespace, daemonSet.Name, revision)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	return strings.Split(strings.TrimSpace(text), "\n")
}

// RolloutUndo does what `kubectl rollout undo` does to the DaemonSet and returns it as it is then, and what kubectl prints. Revision 0 stands for the one
// before.
func (s *Scenario) RolloutUndo(ctx context.Context, daemonSet *appsv1.DaemonSet, revision int64) (undone *appsv1.DaemonSet, printed string) {
	s.tb.Helper()
	rollbacker, err := polymorphichelpers.RollbackerFor(daemonSetGroupKind, s.client)
	s.must(err, "find what rolls back")
	stimulus := onDaemonSet(history.UpdateDaemonSet, daemonSet)
	stimulus.Detail = "kubectl rollout undo"
	if revision != 0 {
		stimulus.Detail += fmt.Sprintf(" --to-revision=%d", revision)
	}
	err = s.Do(ctx, stimulus, func(context.Context) (err error) {
		printed, err = rollbacker.Rollback(daemonSet, nil, revision, cmdutil.DryRunNone)
		return err
	})
	if err != nil {
		printed = "error: " + err.Error()
	}
	undone, err = s.client.AppsV1().DaemonSets(daemonSet.Namespace).Get(ctx, daemonSet.Name, metav1.GetOptions{})
	s.must(err, "get DaemonSet %s", daemonSet.Name)
	return undone, printed
}
