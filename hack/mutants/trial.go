package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// laboratory is what all trials share.
type laboratory struct {
	bench   *trial.Bench
	options trial.Options
}

// try lets the suite loose on the mutant.
func (l laboratory) try(ctx context.Context, m mutant) result {
	r := result{mutant: m, artifacts: filepath.Join(l.options.Artifacts, m.name), verdicts: map[requirements.ID]reports.Verdict{}}
	began := time.Now()
	r.failure = l.tryIn(ctx, m, &r)
	r.took = time.Since(began)
	if r.killed() && !l.options.Keep {
		if err := os.RemoveAll(r.artifacts); err != nil {
			r.failure = fmt.Errorf("remove the artifacts: %w", err)
		}
	}
	return r
}

func (l laboratory) tryIn(ctx context.Context, m mutant, r *result) (err error) {
	if err := os.RemoveAll(r.artifacts); err != nil {
		return fmt.Errorf("remove the artifacts of an earlier trial: %w", err)
	}
	tree, err := os.MkdirTemp("", "rollcall-mutant-")
	if err != nil {
		return fmt.Errorf("make a folder for the mutant: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tree)) }()
	if err := copyProject(ctx, l.bench.Root, tree); err != nil {
		return err
	}
	if err := apply(ctx, m.patch, tree); err != nil {
		return err
	}
	for _, id := range m.breaks {
		if r.verdicts[id] == reports.Fail {
			// Another requirement's specs have found it out already.
			continue
		}
		report, err := l.run(ctx, tree, filepath.Join(r.artifacts, string(id)), m.provider, id)
		if err != nil {
			return err
		}
		r.read(report)
	}
	return nil
}

// run has the specs that decide the requirement run against the implementation that tree builds.
func (l laboratory) run(ctx context.Context, tree, artifacts, provider string, id requirements.ID) (*reports.ConformanceReport, error) {
	args := []string{"-provider", provider, "-focus", string(id)}
	if provider == embedded.ProviderName {
		// Real nodes take the time that they take.
		args = append(args, "-patience", l.options.Patience.String())
	}
	report, err := trial.Run{Rollcall: l.bench.Rollcall, Dir: tree, Artifacts: artifacts, Args: args}.Report(ctx)
	if err != nil {
		return nil, err
	}
	if failure := report.Provenance.HarnessFailure; failure != "" {
		return nil, fmt.Errorf("the harness failed: %s", failure)
	}
	return report, nil
}

// copyProject copies what git has, or would have, of the project as it is now. The checkout is only read.
func copyProject(ctx context.Context, root, to string) error {
	listed, err := git(ctx, root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return fmt.Errorf("list the project's files: %w", err)
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if errors.Is(err, fs.ErrNotExist) {
			// Deleted, but not yet for git.
			continue
		}
		if err != nil {
			return fmt.Errorf("copy the project: %w", err)
		}
		target := filepath.Join(to, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("copy the project: %w", err)
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return fmt.Errorf("copy the project: %w", err)
		}
	}
	return nil
}

// apply applies the patch to the tree, which is no repository; options are git's.
func apply(ctx context.Context, patch, tree string, options ...string) error {
	if _, err := git(ctx, tree, append(append([]string{"apply", "--whitespace=nowarn"}, options...), patch)...); err != nil {
		return fmt.Errorf("the patch does not fit the reference any more, make it anew: %w", err)
	}
	return nil
}

// git runs git in the folder and returns what it prints. Repositories around the folder are not looked for: git would
// leave out what is not below them.
func git(ctx context.Context, folder string, args ...string) (string, error) {
	var complaint strings.Builder
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(folder))
	command.Stderr = &complaint
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return string(output), nil
}
