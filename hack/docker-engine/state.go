package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// state is remembered from start to stop.
type state struct {
	PID int `json:"pid"`
	// Started is the daemon's start in clock ticks since boot: together with the process ID it names a process for good.
	Started string `json:"started"`
	Before  before `json:"before"`
}

// before is how the machine was.
type before struct {
	Rules      string   `json:"rules"`
	Forwarding string   `json:"forwarding"`
	Instances  string   `json:"inotifyInstances,omitempty"`
	Links      []string `json:"links"`
}

const (
	forwardingPath = "/proc/sys/net/ipv4/ip_forward"
	instancesPath  = "/proc/sys/fs/inotify/max_user_instances"
)

// instancesWanted is room for a dozen kind clusters: one of five nodes takes about 90 of the 128 that many kernels allow.
const instancesWanted = 1024

func lookAround(ctx context.Context) (before, error) {
	rules, err := savedRules(ctx)
	if err != nil {
		return before{}, err
	}
	forwarding, err := os.ReadFile(forwardingPath)
	if err != nil {
		return before{}, err
	}
	instances, err := os.ReadFile(instancesPath)
	if err != nil {
		return before{}, err
	}
	links, err := os.ReadDir("/sys/class/net")
	if err != nil {
		return before{}, err
	}
	seen := before{Rules: rules, Forwarding: string(forwarding), Instances: string(instances)}
	for _, link := range links {
		seen.Links = append(seen.Links, link.Name())
	}
	return seen, nil
}

// raiseInstances makes room for the inotify instances of the nodes' daemons, unless there is enough.
func raiseInstances() error {
	text, err := os.ReadFile(instancesPath)
	if err != nil {
		return err
	}
	allowed, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || allowed >= instancesWanted {
		return err
	}
	return os.WriteFile(instancesPath, []byte(strconv.Itoa(instancesWanted)), 0o644)
}

func (e engine) statePath() string { return filepath.Join(e.dir, "engine.json") }

// readState returns nil if there is nothing to be stopped.
func (e engine) readState() (*state, error) {
	text, err := os.ReadFile(e.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("reading %s: %w", e.statePath(), err)
	}
	return &s, nil
}

func (e engine) writeState(s state) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(e.statePath(), append(text, '\n'), 0o600)
}

// running reports whether the daemon that was started is still there, and not another process that got its number.
func (s state) running() bool { return s.PID != 0 && startOf(s.PID) == s.Started }

// startOf is empty if there is no such process, or only its exit status.
func startOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name may hold anything, also parentheses.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}

// removeStale removes the PID file of a process that ended without doing so. The daemon would do that itself, but where nobody reaps it, it takes
// the dead process for a living one.
func removeStale(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && startOf(pid) != "" {
		return nil
	}
	return os.Remove(path)
}
