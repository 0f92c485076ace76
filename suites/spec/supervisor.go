package spec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Paths of the supervisor: the `rollcall run` that specs run for, which holds the implementation that they share. See also BorrowPath.
const (
	// LogEndPath answers with a LogEnd, HealthPath with a history.Health since the position in its query, of up to LogAsked lines: HealthQuery.
	LogEndPath = "/log-end"
	HealthPath = "/health"
	// EndedPath takes an Ended.
	EndedPath = "/ended"
	// StopPath answers once the run is to end early, with the reason as text.
	StopPath = "/stop"
)

// LogLines is how many of the implementation's last lines are kept of a scenario that failed or could not be decided.
const LogLines = 10

// LogEnd is how much the implementation had printed, and when that was.
type LogEnd struct {
	Position int64     `json:"position"`
	Time     time.Time `json:"time"`
}

// Ended is what became of a spec.
type Ended struct {
	// Spec is its text.
	Spec string `json:"spec"`
	// Decided: some requirement passed or failed; Undecided: some was inconclusive.
	Decided   bool `json:"decided,omitempty"`
	Undecided bool `json:"undecided,omitempty"`
	// Cause that all undecided requirements have in common; empty if there is none.
	Cause string `json:"cause,omitempty"`
}

// endedOf sums a spec's outcomes up.
func endedOf(text string, outcomes []reports.Outcome) Ended {
	ended := Ended{Spec: text}
	for _, outcome := range outcomes {
		switch outcome.Verdict {
		case reports.Pass, reports.Fail:
			ended.Decided = true
		case reports.Inconclusive:
			if !ended.Undecided {
				ended.Cause = outcome.Cause
			} else if ended.Cause != outcome.Cause {
				ended.Cause = ""
			}
			ended.Undecided = true
		}
	}
	return ended
}

// supervisor asks the one that listens at the address; there is none at an empty one.
type supervisor string

func (s supervisor) logEnd(ctx context.Context) (end LogEnd, err error) {
	if s == "" {
		return LogEnd{}, nil
	}
	return end, s.ask(ctx, LogEndPath, nil, nil, &end)
}

// HealthQuery is the query of HealthPath, and ReadHealthQuery reads it: the log from the position on, lines that contain the text first, and ends of the
// implementation since then.
func HealthQuery(from LogEnd, text string) url.Values {
	return url.Values{"position": {strconv.FormatInt(from.Position, 10)}, "time": {from.Time.Format(time.RFC3339Nano)}, "text": {text}}
}

// ReadHealthQuery reads what HealthQuery wrote.
func ReadHealthQuery(query url.Values) (from LogEnd, text string, err error) {
	if from.Position, err = strconv.ParseInt(query.Get("position"), 10, 64); err != nil {
		return from, "", err
	}
	from.Time, err = time.Parse(time.RFC3339Nano, query.Get("time"))
	return from, query.Get("text"), err
}

func (s supervisor) health(ctx context.Context, from LogEnd, text string) (health history.Health, err error) {
	if s == "" {
		return history.Health{}, nil
	}
	return health, s.ask(ctx, HealthPath, HealthQuery(from, text), nil, &health)
}

func (s supervisor) ended(ctx context.Context, ended Ended) error {
	if s == "" {
		return nil
	}
	return s.ask(ctx, EndedPath, nil, ended, nil)
}

// ask sends what is given, if anything, and reads the answer into what is to hold it.
func (s supervisor) ask(ctx context.Context, path string, query url.Values, send, receive any) (err error) {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if send != nil {
		text, err := json.Marshal(send)
		if err != nil {
			return err
		}
		method, body = http.MethodPost, bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, string(s)+path+"?"+query.Encode(), body)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask the run: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		why, err := io.ReadAll(response.Body)
		return errors.Join(fmt.Errorf("ask the run for %s: %s: %s", path, response.Status, bytes.TrimSpace(why)), err)
	}
	if receive == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(receive)
}

// stop is the run's wish to end early.
type stop struct {
	// wished is closed when it does; reason is set before.
	wished chan struct{}
	reason string
}

// earlyEnd is this process's, which asks once for all its specs.
var earlyEnd = sync.OnceValue(func() *stop {
	s := &stop{wished: make(chan struct{})}
	process, err := thisProcess()
	if err != nil || process.session.Supervisor == "" {
		return s
	}
	go func() {
		// It lasts as long as the run. Without an answer the run is gone, and this process with it.
		response, err := http.Get(process.session.Supervisor + StopPath)
		if err != nil {
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			return
		}
		s.reason = string(text)
		close(s.wished)
	}()
	return s
})

// why the run ends early; empty if it does not.
func (s *stop) why() string {
	select {
	case <-s.wished:
		return s.reason
	default:
		return ""
	}
}

// until returns a context that also ends with the run.
func (s *stop) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.wished:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
