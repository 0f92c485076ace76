// Command docker-engine runs a Docker engine of its own on a bare Debian machine, such as one that only does CI: it installs the engine, starts it
// with everything it writes in one folder, and ends it without leaving a trace but the images it keeps.
//
// It is for machines without Docker. Where `docker info` answers it refuses: that engine is somebody's, and nothing more is needed.
//
//	eval "$(go run ./hack/docker-engine start)"   # sets DOCKER_HOST
//	go run ./hack/docker-engine status
//	go run ./hack/docker-engine stop
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	if filepath.Base(os.Args[0]) == runtimeName {
		fail(runRuntime(os.Args[1:]))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fail(run(ctx, os.Args[1:]))
}

func fail(err error) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "docker-engine:", err)
	os.Exit(1)
}

func run(ctx context.Context, args []string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("finding a folder for the engine: %w (set HOME)", err)
	}
	flags := flag.NewFlagSet("docker-engine start|stop|status", flag.ContinueOnError)
	dir := flags.String("dir", filepath.Join(cache, "rollcall", "docker-engine"), "`folder` for all that the engine writes")
	removeData := flags.Bool("remove-data", false, "stop: remove images and volumes too")
	if len(args) == 0 {
		flags.Usage()
		return errors.New("say what to do: start, stop or status")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	absolute, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	engine := engine{dir: absolute}
	switch args[0] {
	case "start":
		return engine.start(ctx)
	case "stop":
		return engine.stop(ctx, *removeData)
	case "status":
		return engine.status(ctx)
	default:
		flags.Usage()
		return fmt.Errorf("no command %q: there are start, stop and status", args[0])
	}
}

// say tells the user what happens; standard output is for the shell that evaluates it.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "docker-engine: "+format+"\n", args...)
}
