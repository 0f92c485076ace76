package existing

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
	psapi "k8s.io/pod-security-admission/api"
)

const (
	// namespaceName is the namespace of what belongs to the whole run.
	namespaceName = "rollcall"
	// namespaceLabel marks it as ours.
	namespaceLabel = "rollcall.dev/run"

	claimName = "run"
	// leaseDuration after its last sign of life a run counts as gone; one that cannot give any for renewDeadline knows by itself.
	leaseDuration, renewDeadline, renewal = 15 * time.Second, 10 * time.Second, 2 * time.Second
	// claimTimeout is long enough to see that a run is gone.
	claimTimeout = leaseDuration + 4*renewal
)

// claim is a Lease that says whose the cluster is, renewed until its end.
type claim struct {
	stop    context.CancelFunc
	ended   chan struct{}
	stopped atomic.Bool
}

// take makes the claim. A run that crashed is waited for until its own has run out.
func (c *Cluster) take(ctx context.Context) (*claim, error) {
	if err := c.makeNamespace(ctx); err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("claim the cluster: %w", err)
	}
	own := fmt.Sprintf("process %d on %s (%s)", os.Getpid(), host, utilrand.String(5))
	lock := &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: namespaceName, Name: claimName}, Client: c.client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: own},
	}
	taken, made := make(chan struct{}), &claim{ended: make(chan struct{})}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: renewal,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(taken) },
			OnStoppedLeading: func() {},
			OnNewLeader: func(holder string) {
				if holder != own {
					c.say("%s has the cluster; waiting up to %s to see whether it still runs", holder, claimTimeout)
				}
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("claim the cluster: %w", err)
	}
	// client-go's own account of it is for nobody.
	var electing context.Context
	electing, made.stop = context.WithCancel(klog.NewContext(context.WithoutCancel(ctx), klog.Logger{}))
	go func() {
		defer close(made.ended)
		elector.Run(electing)
	}()
	waiting, cancel := context.WithTimeoutCause(ctx, claimTimeout, fmt.Errorf("lease %s in namespace %s was not acquired", claimName, namespaceName))
	defer cancel()
	look := time.NewTicker(renewal)
	defer look.Stop()
	var first *resourcelock.LeaderElectionRecord
	for {
		select {
		case <-taken:
			return made, nil
		case <-waiting.Done():
			made.end()
			return nil, fmt.Errorf("claim the cluster: %w", context.Cause(waiting))
		case <-look.C:
		}
		now, _, err := lock.Get(waiting)
		switch {
		case err != nil || now.HolderIdentity == own:
			// The elector deals with it, or has.
		case first == nil || first.HolderIdentity != now.HolderIdentity:
			first = now
		case !first.RenewTime.Equal(&now.RenewTime):
			made.end()
			return nil, fmt.Errorf("%s is using the cluster: wait until it ends", now.HolderIdentity)
		}
	}
}

// lost reports whether the claim ended by itself.
func (c *claim) lost() bool {
	select {
	case <-c.ended:
		return !c.stopped.Load()
	default:
		return false
	}
}

// end stops renewing the claim. Nobody else can take it before it has run out, unless it goes with its namespace.
func (c *claim) end() {
	c.stopped.Store(true)
	c.stop()
	<-c.ended
}

// makeNamespace makes the run's namespace, unless another run left it.
func (c *Cluster) makeNamespace(ctx context.Context) error {
	namespaces := c.client.CoreV1().Namespaces()
	last := "nothing"
	err := wait.PollUntilContextTimeout(ctx, pollInterval, claimTimeout, true, func(ctx context.Context) (bool, error) {
		there, err := namespaces.Get(ctx, namespaceName, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			_, err = namespaces.Create(ctx, &corev1.Namespace{
				// Pods are tried in it, as scenarios make them.
				ObjectMeta: metav1.ObjectMeta{Name: namespaceName, Labels: map[string]string{namespaceLabel: "", psapi.EnforceLevelLabel: string(psapi.LevelPrivileged)}},
			}, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return false, nil
			}
			return err == nil, err
		case err != nil:
			return false, err
		}
		if _, ours := there.Labels[namespaceLabel]; !ours {
			return false, fmt.Errorf("it is there already and not a run's, which have the label %s; rollcall needs the name", namespaceLabel)
		}
		last = "another run is removing it"
		return there.DeletionTimestamp == nil, nil
	})
	if wait.Interrupted(err) {
		err = fmt.Errorf("%w; %s", err, last)
	}
	if err != nil {
		return fmt.Errorf("make namespace %s: %w", namespaceName, err)
	}
	return nil
}
