package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What -on-exit says is done about an implementation that ends by itself.
const (
	onExitStop    = "stop"
	onExitRestart = "restart"
)

// restartTimeout bounds starting the implementation again.
const restartTimeout = 5 * time.Minute

// supervisor watches over the implementation, and answers the specs' processes: see spec.LogEndPath and those beside it.
type supervisor struct {
	name    string
	running *implementation.Running
	// restarts: an implementation that ended is started again; otherwise the run ends.
	restarts bool
	// say tells the user.
	say func(format string, args ...any)
	// lender of control planes; nil if there is none.
	lender *lender
	// events, if -json asks for them.
	events *events
	server *http.Server
	// address of the server.
	address string
	// stopped ends watching; watched is closed when it has ended.
	stopped chan struct{}
	watched chan struct{}
	// early is closed when the run is to end early.
	early chan struct{}

	mu    sync.Mutex
	exits []exit
	first *first
	// why the run ends early; empty if it does not.
	why string
}

// exit is an end of the implementation that nobody asked for.
type exit struct {
	at     time.Time
	status string
	log    []string
}

// supervise begins. keepGoing: the run goes on whatever the first specs say.
func supervise(r *suiteRun, running *implementation.Running, lender *lender) (*supervisor, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the specs: %w", err)
	}
	s := &supervisor{
		name: r.implementation.Name, running: running, restarts: r.options.onExit == onExitRestart, say: r.say, events: r.events,
		stopped: make(chan struct{}), watched: make(chan struct{}), early: make(chan struct{}), first: &first{off: r.options.keepGoing},
		lender:  lender,
		address: "http://" + listener.Addr().String(),
	}
	s.server = &http.Server{Handler: s.handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // it ends with end
	go s.watch()
	return s, nil
}

// end ends watching and answering.
func (s *supervisor) end() error {
	close(s.stopped)
	<-s.watched
	return s.server.Close()
}

// watch says at once when the implementation ends by itself, and does about it what was asked for.
func (s *supervisor) watch() {
	defer close(s.watched)
	for {
		select {
		case <-s.running.Exited():
		case <-s.stopped:
			return
		}
		ended := exit{at: time.Now(), status: s.running.ExitStatus(), log: s.running.LogTail(spec.LogLines)}
		s.mu.Lock()
		s.exits = append(s.exits, ended)
		s.mu.Unlock()
		next := "the run ends (-on-exit=restart goes on)"
		if s.restarts {
			next = "it is started again"
		}
		s.say("%s ended by itself: %s; %s; its log ended:\n    %s", s.name, ended.status, next, strings.Join(ended.log, "\n    "))
		s.events.tell(reports.Event{Event: reports.EventImplementationEnded, End: &reports.EventEnd{Status: ended.status, Log: ended.log, Restarted: s.restarts}})
		if !s.restarts {
			s.endEarly(fmt.Sprintf("%s ended by itself: %s", s.name, ended.status))
			return
		}
		if err := s.restart(); err != nil {
			s.endEarly(fmt.Sprintf("%s ended by itself (%s) and could not be started again: %v", s.name, ended.status, err))
			return
		}
		s.say("%s was started again and is ready", s.name)
	}
}

func (s *supervisor) restart() error {
	ctx, cancel := context.WithTimeout(context.Background(), restartTimeout)
	defer cancel()
	restarter, err := implementation.Find[implementation.Restarter](ctx, s.running)
	if err != nil {
		return err
	}
	// Its error says in any case that the implementation had ended.
	err = restarter.Restart(ctx)
	if s.running.ExitStatus() == "" && s.running.AwaitReady(ctx) == nil {
		return nil
	}
	return err
}

// endEarly has the run end, for the first reason given.
func (s *supervisor) endEarly(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == "" {
		s.why = why
		close(s.early)
	}
}

// endedEarly is why the run ended early; empty if it did not.
func (s *supervisor) endedEarly() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// failure is an error, the implementation's, if it ever ended by itself.
func (s *supervisor) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	exits := s.exits
	if len(exits) == 0 {
		// It may have ended too late for the watch.
		status := s.running.ExitStatus()
		if status == "" {
			return nil
		}
		exits = []exit{{status: status, log: s.running.LogTail(spec.LogLines)}}
	}
	what := fmt.Sprintf("%s ended by itself during the run: %s", s.name, exits[0].status)
	if s.restarts {
		what = fmt.Sprintf("%s ended by itself %d times during the run, the first time: %s", s.name, len(exits), exits[0].status)
	}
	return implementation.Failed(fmt.Errorf("%s\n  its log ended:\n    %s", what, strings.Join(exits[0].log, "\n    ")))
}

// health is how the implementation is, and was since then, from which its waits for a processor are counted.
func (s *supervisor) health(from spec.LogEnd, text string) history.Health {
	s.mu.Lock()
	var ends []string
	for _, ended := range s.exits {
		if !ended.at.Before(from.Time) {
			ends = append(ends, ended.status)
		}
	}
	s.mu.Unlock()
	if status := s.running.ExitStatus(); status != "" && !slices.Contains(ends, status) {
		ends = append(ends, status)
	}
	return history.Health{
		Ended: strings.Join(ends, "; "), Log: s.running.LogSince(from.Position, spec.LogAsked, text), Waits: spec.Waits(s.running.WaitsSince(from.Time), from.Time),
	}
}

func (s *supervisor) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+spec.LogEndPath, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, spec.LogEnd{Position: s.running.LogEnd(), Time: time.Now()})
	})
	mux.HandleFunc("GET "+spec.HealthPath, func(w http.ResponseWriter, request *http.Request) {
		from, text, err := spec.ReadHealthQuery(request.URL.Query())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, s.health(from, text))
	})
	mux.HandleFunc("POST "+spec.EndedPath, func(w http.ResponseWriter, request *http.Request) {
		var ended spec.Ended
		if err := json.NewDecoder(request.Body).Decode(&ended); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		why := s.first.ended(ended)
		s.mu.Unlock()
		if why != "" {
			s.say("the run ends early, since %s (-keep-going goes on)", why)
			s.endEarly(why)
		}
	})
	mux.HandleFunc("GET "+spec.StopPath, func(w http.ResponseWriter, request *http.Request) {
		select {
		case <-s.early:
			// A process that no longer listens has ended.
			_, _ = w.Write([]byte(s.endedEarly()))
		case <-request.Context().Done():
		}
	})
	s.lender.handle(mux)
	return mux
}

func answer(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil && !errors.Is(err, net.ErrClosed) {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
