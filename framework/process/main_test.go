//go:build linux

package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The tests run this very binary again, in one of these roles, as the program that is started.
const (
	roleVariable = "ROLLCALL_PROCESS_TEST_ROLE"

	roleWait         = "wait"           // announces its process ID and environment, and waits for a signal
	roleIgnoreTERM   = "ignore SIGTERM" // only SIGKILL ends it
	roleFail         = "fail"           // prints 30 lines and exits with status 3
	roleParent       = "parent"         // starts a child with Start, and waits
	roleWrapParent   = "wrap parent"    // starts a child with os/exec through WrapForDeath, and waits
	roleWatchParent  = "watch parent"   // the same through the script without setpriv
	roleWorkerParent = "worker parent"  // starts a worker with plain os/exec, and waits
	roleWorker       = "worker"         // ties itself to its parent, and waits
	roleOrphan       = "orphan"         // ties itself to a parent that is not its own
	roleFamily       = "family"         // leaves a child in its process group and exits
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(role); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(role string) error {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	self := os.Args[0]
	dir := os.Getenv("TEST_DIR")
	switch role {
	case roleWait:
		fmt.Println("greeting:", os.Getenv("GREETING"))
	case roleIgnoreTERM:
		signal.Ignore(syscall.SIGTERM)
	case roleFail:
		for i := range 30 {
			fmt.Println("line", i+1)
		}
		os.Exit(3)
	case roleParent:
		child, err := Start(context.Background(), Options{
			Path: self, Env: []string{roleVariable + "=" + roleWait}, LogPath: filepath.Join(dir, "child.log"),
		})
		if err != nil {
			return err
		}
		return announce(dir, "child", child.PID(), terminated)
	case roleWrapParent, roleWatchParent:
		setpriv := ""
		if role == roleWrapParent {
			setpriv = findSetpriv()
		}
		script, err := writeWrapper(self, filepath.Join(dir, "wrapped"), setpriv)
		if err != nil {
			return err
		}
		return forkAndAnnounce(script, roleWait, dir, terminated)
	case roleWorkerParent:
		return forkAndAnnounce(self, roleWorker, dir, terminated)
	case roleFamily:
		return forkAndAnnounce(self, roleWait, dir, nil)
	case roleWorker:
		parent, err := strconv.Atoi(os.Getenv("PARENT"))
		if err != nil {
			return err
		}
		if err := DieWithParent(parent); err != nil {
			return err
		}
	case roleOrphan:
		return DieWithParent(os.Getppid() + 1)
	}
	return announce(dir, role, os.Getpid(), terminated)
}

// forkAndAnnounce starts a program in the plain way, as a library would, and has it announce itself.
func forkAndAnnounce(path, role, dir string, until <-chan os.Signal) error {
	child := exec.Command(path, "an argument")
	child.Env = append(child.Environ(), roleVariable+"="+role, "PARENT="+strconv.Itoa(os.Getpid()))
	if err := child.Start(); err != nil {
		return err
	}
	return announce(dir, "child", child.Process.Pid, until)
}

// announce writes a process ID where the test waits for it, whole, and returns when a signal comes.
func announce(dir, name string, pid int, until <-chan os.Signal) error {
	file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".pid")
	if err := os.WriteFile(file+".part", []byte(strconv.Itoa(pid)), 0o600); err != nil {
		return err
	}
	if err := os.Rename(file+".part", file); err != nil {
		return err
	}
	if until != nil {
		<-until
	}
	return nil
}
