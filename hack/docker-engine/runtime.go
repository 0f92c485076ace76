package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// runtimeName is what this program is called where it is the engine's OCI runtime.
const runtimeName = "rollcall-runc"

// runRuntime is runc for machines where even root lacks a capability: there every privileged container asks for more than the kernel grants, and
// does not start. It takes what cannot be had out of the container's or process' specification, then becomes runc.
func runRuntime(args []string) error {
	missing, err := missingCapabilities()
	if err != nil {
		return err
	}
	if path := specification(args); path != "" {
		if err := editSpecification(path, missing); err != nil {
			return fmt.Errorf("taking %s out of %s: %w", strings.Join(missing, ", "), path, err)
		}
	}
	runc, err := exec.LookPath("runc")
	if err != nil {
		return err
	}
	return syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ())
}

// specification is the file that says which capabilities the command will ask for; empty for commands that start nothing.
func specification(args []string) string {
	at := slices.IndexFunc(args, func(arg string) bool { return arg == "create" || arg == "run" || arg == "exec" })
	switch {
	case at < 0:
		return ""
	case args[at] == "exec":
		return option(args[at+1:], "process", "p", "")
	default:
		return filepath.Join(option(args[at+1:], "bundle", "b", "."), "config.json")
	}
}

func option(args []string, long, short, otherwise string) string {
	for i, arg := range args {
		name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name != long && name != short {
			continue
		}
		if joined {
			return value
		}
		if i+1 < len(args) {
			return args[i+1]
		}
	}
	return otherwise
}

func editSpecification(path string, missing []string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	edited, err := withoutCapabilities(text, missing)
	if err != nil {
		return err
	}
	return os.WriteFile(path, edited, info.Mode().Perm())
}

// withoutCapabilities edits the specification of a container, which has its process in a field, or of a process. All else stays as it is.
func withoutCapabilities(specification []byte, missing []string) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(specification))
	decoder.UseNumber() // a limit of 2^64-1 must survive
	var whole map[string]any
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	process := whole
	if inner, found := whole["process"].(map[string]any); found {
		process = inner
	}
	sets, _ := process["capabilities"].(map[string]any)
	for name, set := range sets {
		if list, isList := set.([]any); isList {
			sets[name] = slices.DeleteFunc(list, func(capability any) bool {
				text, _ := capability.(string)
				return slices.Contains(missing, text)
			})
		}
	}
	return json.Marshal(whole)
}
