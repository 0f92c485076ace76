package requeue_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/requeue"
)

func TestARetryIsNoLaterThanWhatIsDueByTheClock(t *testing.T) {
	retries, byClock := requeue.NewRetries(), 5*time.Second
	request := reconcile.Request{NamespacedName: types.NamespacedName{Name: "agent"}}
	first := retries.Failed(request, byClock).RequeueAfter
	if first <= 0 || first >= byClock {
		t.Errorf("after the first failure %s, want a retry long before the clock's %s", first, byClock)
	}
	if second := retries.Failed(request, byClock).RequeueAfter; second <= first {
		t.Errorf("after the second failure %s, want more than %s", second, first)
	}
	for range 20 {
		retries.Failed(request, byClock)
	}
	if last := retries.Failed(request, byClock).RequeueAfter; last != byClock {
		t.Errorf("after many failures %s, want the clock's %s", last, byClock)
	}
	retries.Succeeded(request)
	if again := retries.Failed(request, byClock).RequeueAfter; again != first {
		t.Errorf("after a success %s, want %s as at first", again, first)
	}
}
