package kind

import (
	"fmt"
	"io"
	"sync"

	"sigs.k8s.io/kind/pkg/log"
)

// detail is how much of what kind does is logged: all but traces.
const detail = 3

// logger writes what kind does, which concerns its users only when something fails.
type logger struct {
	mu  sync.Mutex
	out io.Writer
}

var _ log.Logger = (*logger)(nil)

func newLogger(out io.Writer) *logger { return &logger{out: out} }

func (l *logger) write(level, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintf(l.out, "%s%s\n", level, message)
}

func (l *logger) Warn(message string)               { l.write("warning: ", message) }
func (l *logger) Warnf(format string, args ...any)  { l.Warn(fmt.Sprintf(format, args...)) }
func (l *logger) Error(message string)              { l.write("error: ", message) }
func (l *logger) Errorf(format string, args ...any) { l.Error(fmt.Sprintf(format, args...)) }

func (l *logger) V(level log.Level) log.InfoLogger { return infoLogger{l, level <= detail} }

// infoLogger is a logger at one level of verbosity.
type infoLogger struct {
	*logger
	enabled bool
}

func (l infoLogger) Info(message string) {
	if l.enabled {
		l.write("", message)
	}
}
func (l infoLogger) Infof(format string, args ...any) { l.Info(fmt.Sprintf(format, args...)) }
func (l infoLogger) Enabled() bool                    { return l.enabled }
