package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// lender has the control planes of specs that are alone: see spec.BorrowPath and those beside it. To start one takes more work of the machine than to play many a
// scenario, so that one which a spec leaves as it was is lent again. A nil lender lends none.
type lender struct {
	// start starts a control plane for a loan of that name.
	start func(ctx context.Context, name string) (*loan, error)
	// borrowing are those that are being lent.
	borrowing sync.WaitGroup

	mu sync.Mutex
	// over: the run is, and nothing is lent any more.
	over bool
	// started counts all there ever were; free are those that nobody has, the one that was returned last at the end. All are kept: with two kept, 30 were started
	// in a whole run instead of 8, which took two minutes more.
	started int
	free    []*loan
	lent    map[string]*loan
	// unended are the failures to end control planes that could not be lent again.
	unended error
}

// loan is a control plane that can be lent.
type loan struct {
	spec.Loan
	control controlPlane
}

// controlPlane is an embedded.Cluster.
type controlPlane interface {
	cluster.Cluster
	Ended() string
	Answers(context.Context) error
}

// newLender starts control planes with the options, of which Dir and LogDir are the run's.
func newLender(options embedded.Options) *lender {
	return &lender{lent: map[string]*loan{}, start: func(ctx context.Context, name string) (*loan, error) { return startLoan(ctx, options, name) }}
}

// borrow lends a control plane: a free one that is well, or a new one.
func (l *lender) borrow(ctx context.Context) (spec.Loan, error) {
	if !l.begin() {
		return spec.Loan{}, errors.New("the run is over")
	}
	defer l.borrowing.Done()
	for lent := l.takeFree(); lent != nil; lent = l.takeFree() {
		if lent.control.Ended() == "" && lent.control.Answers(ctx) == nil {
			l.keep(lent)
			return lent.Loan, nil
		}
		l.forget(lent.control.Stop(ctx))
	}
	lent, err := l.start(ctx, l.name())
	if err != nil {
		return spec.Loan{}, err
	}
	l.keep(lent)
	return lent.Loan, nil
}

// begin reports whether anything is still lent. Whoever borrows says when that is done.
func (l *lender) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.borrowing.Add(1)
	}
	return !l.over
}

// takeFree takes the one that has been free for longest: somebody may still be removing what the spec before has left; nil if there is none.
func (l *lender) takeFree() *loan {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == 0 {
		return nil
	}
	taken := l.free[0]
	l.free = l.free[1:]
	return taken
}

// forget takes note of what went wrong when a control plane was ended.
func (l *lender) forget(unended error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unended = errors.Join(l.unended, unended)
}

// name is that of the next control plane.
func (l *lender) name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started++
	return fmt.Sprintf("control-plane-%d", l.started)
}

func (l *lender) keep(lent *loan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent[lent.Name] = lent
}

// startLoan starts a control plane in folders of that name.
func startLoan(ctx context.Context, options embedded.Options, name string) (*loan, error) {
	options.Dir, options.LogDir = filepath.Join(options.Dir, name), filepath.Join(options.LogDir, name)
	control, err := embedded.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	lent := &loan{control: control, Loan: spec.Loan{Name: name, Dir: options.Dir, Logs: options.LogDir, KubernetesVersion: control.KubernetesVersion()}}
	if lent.Kubeconfig, err = control.KubeconfigFor(ctx, "rollcall", user.SystemPrivilegedGroup); err != nil {
		return nil, errors.Join(err, control.Stop(context.WithoutCancel(ctx)))
	}
	if keeper, ok := lent.control.(audit.Keeper); ok {
		folder, _ := keeper.AuditLog().(audit.Folder)
		lent.AuditFolder = string(folder)
	}
	if storage, ok := lent.control.(cluster.Storage); ok {
		lent.StorageURL = storage.StorageURL()
	}
	return lent, nil
}

// of returns the control plane of that name, which is lent.
func (l *lender) of(name string) (*loan, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lent := l.lent[name]; lent != nil {
		return lent, nil
	}
	return nil, fmt.Errorf("no control plane is lent under the name %q", name)
}

// takeBack ends the control plane, unless it is as it was.
func (l *lender) takeBack(ctx context.Context, returned spec.Returned) error {
	lent, err := l.of(returned.Name)
	if err != nil {
		return err
	}
	l.mu.Lock()
	delete(l.lent, returned.Name)
	if returned.AsItWas {
		l.free = append(l.free, lent)
	}
	l.mu.Unlock()
	if returned.AsItWas {
		return nil
	}
	return lent.control.Stop(ctx)
}

// end ends all control planes, those of specs that never came to give them back among them.
func (l *lender) end(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.borrowing.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var group errgroup.Group
	group.SetLimit(endedAtOnce)
	for _, lent := range slices.Concat(l.free, slices.Collect(maps.Values(l.lent))) {
		group.Go(func() error { return lent.control.Stop(ctx) })
	}
	l.free, l.lent = nil, map[string]*loan{}
	return errors.Join(l.unended, group.Wait())
}

// endedAtOnce is how many control planes are: each has only so long to end by itself.
const endedAtOnce = 4

// handle answers the specs' processes.
func (l *lender) handle(mux *http.ServeMux) {
	if l == nil {
		return
	}
	handle(mux, spec.BorrowPath, func(ctx context.Context, _ struct{}) (any, error) { return l.borrow(ctx) })
	handle(mux, spec.ReturnPath, func(ctx context.Context, returned spec.Returned) (any, error) { return nil, l.takeBack(ctx, returned) })
	handle(mux, spec.UserPath, func(ctx context.Context, asked spec.LoanUser) (any, error) {
		lent, err := l.of(asked.Name)
		if err != nil {
			return nil, err
		}
		return lent.control.KubeconfigFor(ctx, asked.User, asked.Groups...)
	})
	handle(mux, spec.SwitchOffPath, func(ctx context.Context, asked spec.SwitchedOff) (any, error) {
		lent, err := l.of(asked.Name)
		if err != nil {
			return nil, err
		}
		return nil, lent.control.SwitchOff(ctx, asked.Controllers...)
	})
}

// handle has a request that sends a value answered with another, or with what went wrong.
func handle[T any](mux *http.ServeMux, path string, act func(context.Context, T) (any, error)) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, request *http.Request) {
		var sent T
		if err := json.NewDecoder(request.Body).Decode(&sent); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		value, err := act(request.Context(), sent)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, value)
	})
}
