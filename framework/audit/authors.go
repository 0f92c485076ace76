package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

const (
	// Delay bounds the time from an event to the line in the log about the request that caused it: the API server may tell its watchers first.
	Delay = time.Second
	// rereadInterval is how often the log is read again while an event younger than Delay has no author.
	rereadInterval = 50 * time.Millisecond
)

// Authors finds the authors of recordings of one cluster. It may be used for several at a time.
type Authors struct {
	// Log of the cluster's API server.
	Log Log
	// Users of the cluster.
	Users Users
	// Workload is what recordings show as DaemonSets. Default: DaemonSets.
	Workload workload.Workload
}

// Begin returns the position for Of of a recording that begins now.
func (a Authors) Begin(ctx context.Context) (int64, error) { return a.Log.End(ctx) }

// Of returns the authors of a history that has ended, and whose recording began at the position of the log, what the implementation was refused
// meanwhile, and when it waited for answers. It waits up to Delay for lines that are still to come.
func (a Authors) Of(ctx context.Context, h *history.History, position int64) (history.Attribution, error) {
	var found history.Attribution
	err := wait.PollUntilContextTimeout(ctx, rereadInterval, Delay, true, func(context.Context) (bool, error) {
		// Not under the timeout, which bounds the waiting: reading may take longer.
		records, err := a.records(ctx, position, h.Namespaces)
		if err != nil {
			return false, err
		}
		authors := Join(h, records)
		found = history.Attribution{Authors: authors, Refusals: Refusals(h, records, a.Users), Delays: Delays(h, records, a.Users, authors)}
		return !awaited(h, found.Authors, time.Now()), nil
	})
	if err != nil && !wait.Interrupted(err) || ctx.Err() != nil {
		return history.Attribution{}, fmt.Errorf("find the authors of %s: %w", h.Scenario, errors.Join(err, ctx.Err()))
	}
	for i, authorship := range found.Authors {
		found.Authors[i].Author.Who = a.Users.Who(authorship.Author.User)
	}
	return found, nil
}

// records reads the log. The names of a scenario's nodes and the label on those that it shares have its namespace's name in them, so every line that
// is about the scenario names one of the namespaces.
func (a Authors) records(ctx context.Context, position int64, namespaces []string) (_ []Record, err error) {
	in, err := a.Log.From(ctx, position, namespaces...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	events, err := Read(in, namespaces...)
	if err != nil {
		return nil, err
	}
	var all []Record
	for _, event := range events {
		records, err := Records(event)
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			shown := a.Workload.Canonical(schema.GroupResource{Group: record.Group, Resource: record.Resource})
			record.Group, record.Resource = shown.Group, shown.Resource
			all = append(all, record)
		}
	}
	return all, nil
}

// awaited reports whether an event without an author is so young that the log may still name it.
func awaited(h *history.History, known []history.Authorship, now time.Time) bool {
	authored := make(map[uint64]bool, len(known))
	for _, authorship := range known {
		authored[authorship.ResourceVersion] = true
	}
	for _, entry := range h.Entries {
		if entry.Object != nil && !authored[entry.ResourceVersion] && now.Sub(entry.Time) < Delay {
			return true
		}
	}
	return false
}
