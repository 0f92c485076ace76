package run

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/job"
)

// action carries a command out and returns the exit code.
type action func(ctx context.Context, args []string, out io.Writer) (int, error)

// subcommand is a word after `rollcall`.
type subcommand struct {
	// usage is the word, followed by the arguments that the command cannot do without.
	usage string
	// summary says what the command does, on one line.
	summary string
	action  action
}

// subcommands are all that users call, in the order in which help lists them.
func subcommands() []subcommand {
	return []subcommand{
		{"run", "run the suites against an implementation and write a report", runSuites},
		{"up", "keep a control plane, on which runs with -on begin at once", keepUp},
		{"init", "write an implementation file with comments, to start from", atOnce(writeStart)},
		{"check FILE...", "read implementation files without running anything", atOnce(checkFiles)},
		{"judge PATH...", "judge recordings, or the folder of a run, again, without a cluster", atOnce(judgeRecordings)},
		{"watch", "record and judge the rollouts of a cluster that others use, without writing to it", watchCluster},
		{"show FILE", "draw a recording: on the terminal, as a page, or as a trace", atOnce(showRecording)},
		{"report FILE", "write a report as a page, as Markdown, JUnit XML or annotations", atOnce(convertReport)},
		{"explore", "play random schedules against an implementation, and make those smaller that break a promise", explore},
		{"diff OLD NEW", "compare two reports, and say whether the second is worse", atOnce(diffReports)},
		{"merge SHARD...", "make one run of the shards of it that ran elsewhere", atOnce(mergeShards)},
		{"job", "write an image and an Indexed Job that runs the suites in shards, in a cluster", writeJob},
		{"collect", "fetch the shards of a Job from a cluster, and make one run of them", collectShards},
		{"publish RUN", "put a run's report where others find it, in the form in which they can check it", atOnce(publishReport)},
		{"verify FOLDER", "check a published report", verifyPublication},
		{"requirements", "print the catalogue: requirement, level, deciding specs", atOnce(printRequirements)},
		{"explain ID...", "say everything about a requirement, such as SURGE-013", atOnce(explain)},
		{"doctor", "say what this machine lacks for runs, and the fix", examineMachine},
		{"build", "build the control-plane binaries now rather than on first use", buildBinaries},
		{"images", "write the images that nodes run, for clusters of your own", saveImages},
		{"schema KIND", "print the JSON Schema of reports, of implementation files or of what -json prints", atOnce(printSchema)},
		{"completion SHELL", "print the script by which a shell completes rollcall's commands", atOnce(writeCompletion)},
		{"version", "print the version", atOnce(printVersion)},
	}
}

// atOnce is the action of a command that takes no longer than reading and writing files.
func atOnce(do func(args []string, out io.Writer) (int, error)) action {
	return func(_ context.Context, args []string, out io.Writer) (int, error) { return do(args, out) }
}

// refusedOn is an error for a command that brings up clusters, or builds what they take, and cannot on this system.
func (c subcommand) refusedOn(system string) error {
	onLinux := []string{"run", "up", "explore", "doctor", "build", "images", "job"}
	if system == "linux" || !slices.Contains(onLinux, c.name()) {
		return nil
	}
	return usagef("it takes Linux, and this is %s: call it in a container or a virtual machine; all but %s work here", system, listed(onLinux))
}

// name is the word alone.
func (c subcommand) name() string {
	name, _, _ := strings.Cut(c.usage, " ")
	return name
}

// usage lists the commands and the exit codes.
func usage() string {
	var text strings.Builder
	text.WriteString("rollcall finds out whether a controller that rolls out per-node daemons keeps its promises.\n\n")
	for _, c := range subcommands() {
		fmt.Fprintf(&text, "  rollcall %-17s %s\n", c.usage, c.summary)
	}
	text.WriteString(`
Each takes -help. Exit codes:

  0  conformant; of a part of the specs (-focus, -skip, -failed-in, -sample, -shard): all that was selected passed
  1  not conformant: a requirement failed
  2  usage or bad input; nothing was started
  3  undecided: something was inconclusive, nothing was decided, the run was interrupted, or the harness failed
  4  the implementation could not be built or started, stayed not ready, or ended by itself; no requirement failed
`)
	return text.String()
}

// dispatch carries out the command of that name.
func dispatch(ctx context.Context, name string, args []string, out io.Writer) (int, error) {
	switch name {
	case specsCommand:
		return exitConformant, runSpecs(args)
	case job.ShardCommand:
		return runShardInJob(ctx, args, out)
	case job.ResultsCommand:
		return giveResults(args, out)
	case completeCommand:
		return completeWords(args, out)
	case "help", "-h", "-help", "--help":
		if len(args) > 0 {
			return exitUsage, usagef("`rollcall %s -help` describes a command, `rollcall help` lists them", args[0])
		}
		_, err := io.WriteString(out, usage())
		return exitConformant, err
	case "-version", "--version":
		name = "version"
	}
	all := subcommands()
	i := slices.IndexFunc(all, func(c subcommand) bool { return c.name() == name })
	if i < 0 {
		return exitUsage, usagef("there is no such command\n\n%s", usage())
	}
	if err := all[i].refusedOn(runtime.GOOS); err != nil {
		return exitUsage, err
	}
	return all[i].action(ctx, args, out)
}
