package run

import (
	"fmt"
	"io"
	"os"
	"sync"

	"k8s.io/kubectl/pkg/util/term"
)

// console is where a run speaks. On a terminal its last line may be one that changes, and what is written goes above it.
type console struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	line     string
}

// Write implements io.Writer.
func (c *console) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	n, err := c.out.Write(text)
	c.draw()
	return n, err
}

// status changes the last line; nothing takes it away.
func (c *console) status(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line == c.line {
		return
	}
	c.erase()
	c.line = line
	c.draw()
}

func (c *console) erase() {
	if c.line != "" {
		fmt.Fprint(c.out, "\r\x1b[K")
	}
}

func (c *console) draw() {
	if c.line != "" {
		fmt.Fprint(c.out, c.line)
	}
}

// showsText reports whether a terminal shows the command's text: see streams.
func showsText(asJSON bool) bool {
	if asJSON {
		return term.IsTerminal(os.Stderr)
	}
	return term.IsTerminal(os.Stdout)
}
