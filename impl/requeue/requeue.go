// Package requeue says how the reference controllers come back to their objects. It knows nothing of what they do with them.
package requeue

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// StaleRetry is how soon a pass that met an outdated view is repeated. The event that updates the view usually repeats it sooner.
const StaleRetry = 100 * time.Millisecond

// DefaultConcurrentSyncs is how many objects a controller works on at once unless it is told otherwise. It is never the same one twice.
const DefaultConcurrentSyncs = 5

// After a failure an object waits, twice as long each time. The waits are those of one object: a limit over all of them would let a broken one slow down
// the others (PAUSE-008).
const (
	firstWait   = 20 * time.Millisecond
	longestWait = 30 * time.Second
)

// Options are those of a controller that works on that many objects at once; DefaultConcurrentSyncs if it is zero or less.
func Options(concurrentSyncs int) controller.Options {
	if concurrentSyncs <= 0 {
		concurrentSyncs = DefaultConcurrentSyncs
	}
	return controller.Options{
		MaxConcurrentReconciles: concurrentSyncs,
		RateLimiter:             waits(),
	}
}

func waits() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstWait, longestWait)
}

// Retries says when to come back to objects after failures, for controllers that have to come back to them by the clock, too: where a pass returns an error
// controller-runtime forgets RequeueAfter, so that what is due by the clock would wait for the next retry.
type Retries struct {
	waits workqueue.TypedRateLimiter[reconcile.Request]
}

// NewRetries returns one that knows of no failure.
func NewRetries() Retries { return Retries{waits()} }

// Failed returns the result of a pass that failed and that announced to come back after byClock: whichever is sooner of that and the next retry.
func (r Retries) Failed(request reconcile.Request, byClock time.Duration) reconcile.Result {
	return reconcile.Result{RequeueAfter: min(byClock, r.waits.When(request))}
}

// Succeeded has the next failure count as the first.
func (r Retries) Succeeded(request reconcile.Request) { r.waits.Forget(request) }
