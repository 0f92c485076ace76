// Package gobuild compiles Go programs, and shows how far the compiler is.
package gobuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

const (
	// linesOfError are the compiler's last lines that an error shows.
	linesOfError = 20
	// lookInterval is how often the compiler's output is looked at, progressInterval how often packages that it has compiled are shown.
	lookInterval     = 100 * time.Millisecond
	progressInterval = 5 * time.Second
)

// Options say what to compile.
type Options struct {
	// Package is the main package; Dir the folder that it is resolved in. Default: the working directory.
	Package, Dir string
	// Output is the path of the program. What the compiler says is kept beside it, in Output + ".build.log".
	Output string
	// Flags go before the package, Env is added to the environment. Default: none.
	Flags, Env []string
	// Out receives what the go command says about modules, as it comes, and every few seconds how far it is. Default: nobody. What does not compile is in
	// the error.
	Out io.Writer
}

// Build compiles the program. The error has what the compiler said.
func Build(ctx context.Context, options Options) error {
	golang, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("it is built from source, and there is no go command: install Go from https://go.dev/dl and put it into PATH (%w)", err)
	}
	log := options.Output + ".build.log"
	if err := os.RemoveAll(log); err != nil {
		return err
	}
	args := append([]string{"build", "-v", "-o", options.Output}, options.Flags...)
	compiler, err := process.Start(ctx, process.Options{
		Name: "go build", Path: golang, Dir: options.Dir, LogPath: log, Env: options.Env, Args: append(args, options.Package),
	})
	if err != nil {
		return err
	}
	out := options.Out
	if out == nil {
		out = io.Discard
	}
	shown := &progress{out: out, next: time.Now().Add(progressInterval)}
	if err := follow(ctx, compiler, log, shown); err != nil {
		return err
	}
	if status := compiler.ExitStatus(); status != "exit status 0" {
		return fmt.Errorf("go build %s: %s:\n    %s", options.Package, status, strings.Join(shown.said[max(0, len(shown.said)-linesOfError):], "\n    "))
	}
	return nil
}

// follow passes the log on until the compiler has ended.
func follow(ctx context.Context, compiler *process.Process, log string, shown *progress) (err error) {
	file, err := os.Open(log)
	if err != nil {
		return errors.Join(err, compiler.Kill())
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if _, err := io.Copy(shown, file); err != nil {
				return errors.Join(err, compiler.Kill())
			}
		case <-compiler.Exited():
			_, err := io.Copy(shown, file)
			shown.end()
			return err
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), compiler.Kill())
		}
	}
}

// progress tells the lines that name a package from the others, and shows some of each.
type progress struct {
	out io.Writer
	// rest is a line without its end.
	rest []byte
	// said are the lines that name no package.
	said     []string
	packages int
	next     time.Time
}

// Write implements io.Writer.
func (p *progress) Write(text []byte) (int, error) {
	p.rest = append(p.rest, text...)
	for {
		line, rest, whole := bytes.Cut(p.rest, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		p.rest = rest
		if err := p.line(string(line)); err != nil {
			return 0, err
		}
	}
}

func (p *progress) line(text string) error {
	if isPackage(text) {
		p.packages++
		if time.Now().Before(p.next) {
			return nil
		}
		p.next = time.Now().Add(progressInterval)
		_, err := fmt.Fprintf(p.out, "    %d packages compiled so far, now %s\n", p.packages, text)
		return err
	}
	p.said = append(p.said, text)
	if !strings.HasPrefix(text, "go: ") {
		return nil
	}
	_, err := fmt.Fprintf(p.out, "    %s\n", text)
	return err
}

// end takes a last line without an end for one.
func (p *progress) end() {
	if len(p.rest) > 0 {
		p.said = append(p.said, string(p.rest))
	}
}

// isPackage reports whether the line is what `go build -v` says about a package: its import path alone.
func isPackage(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t:#")
}
