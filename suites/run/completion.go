package run

import (
	"context"
	"flag"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports/formats"
)

// completeCommand is what the scripts of `rollcall completion` call; cobra has given it its name.
const completeCommand = cobra.ShellCompRequestCmd

// completion is what a word of a command line can be, and what the shell does with that.
type completion struct {
	// candidates are words, some with a tabulator and what they mean.
	candidates []string
	directive  cobra.ShellCompDirective
}

// files has the shell complete the names of files.
var files = completion{directive: cobra.ShellCompDirectiveDefault}

func only(candidates ...string) completion {
	return completion{candidates, cobra.ShellCompDirectiveNoFileComp}
}

// complete says what the last of the words behind `rollcall` can be.
func complete(words []string) completion {
	if len(words) == 0 {
		return only()
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	if len(before) == 0 {
		return commandsLike(last)
	}
	i := slices.IndexFunc(subcommands(), func(c subcommand) bool { return c.name() == before[0] })
	if i < 0 {
		return only()
	}
	command := subcommands()[i]
	flags := flagsOf(command)
	// The value of a flag is in the same word, or in the next one.
	if name, value, found := strings.Cut(last, "="); found && strings.HasPrefix(name, "-") {
		return valuesOf(command.name(), flagOf(flags, name), value)
	}
	if f := flagOf(flags, before[len(before)-1]); f != nil && len(before) > 1 && !isSwitch(f) {
		return valuesOf(command.name(), f, last)
	}
	if strings.HasPrefix(last, "-") {
		return flagsLike(flags, last)
	}
	return argumentsOf(command.name(), last)
}

func commandsLike(prefix string) completion {
	var all []string
	for _, c := range subcommands() {
		if strings.HasPrefix(c.name(), prefix) {
			all = append(all, c.name()+"\t"+c.summary)
		}
	}
	return only(all...)
}

// flagsLike are the flags that a word begins, with one dash or with two.
func flagsLike(flags *flag.FlagSet, word string) completion {
	dashes := "-"
	if strings.HasPrefix(word, "--") {
		dashes = "--"
	}
	var all []string
	flags.VisitAll(func(f *flag.Flag) {
		if name := dashes + f.Name; strings.HasPrefix(name, word) {
			_, usage := flag.UnquoteUsage(f)
			all = append(all, name+"\t"+usage)
		}
	})
	return only(all...)
}

// valuesOf are those of a flag that the word begins; nil is a flag that does not exist.
func valuesOf(command string, f *flag.Flag, word string) completion {
	if f == nil {
		return only()
	}
	switch f.Name {
	case "provider":
		return like(word, providers())
	case "implementation":
		return completion{candidates: like(word, implementation.Shipped()).candidates}
	case "focus", "skip":
		return requirementsLike(word)
	case "on-exit":
		return like(word, []string{onExitStop, onExitRestart})
	case "until":
		return like(word, []string{untilRolledOut})
	case "format":
		return like(word, formatsOf(command))
	case "artifacts", "root", "recordings":
		return completion{directive: cobra.ShellCompDirectiveFilterDirs}
	}
	if isSwitch(f) {
		return like(word, []string{"true", "false"})
	}
	return files
}

// argumentsOf are those of a command that the word begins.
func argumentsOf(command, word string) completion {
	switch command {
	case "explain":
		return requirementsLike(word)
	case "completion":
		return like(word, shells())
	case "schema":
		return like(word, schemas())
	case "watch":
		return like(word, []string{"daemonset", "daemonset/"})
	case "publish", "merge", "verify":
		return completion{directive: cobra.ShellCompDirectiveFilterDirs}
	case "check", "judge", "show", "report", "diff":
		return files
	}
	return only()
}

// requirementsLike are families and requirements, with what comes before the last comma. More than the families are too many to choose from unless a family is named.
func requirementsLike(word string) completion {
	catalogue, err := requirements.Load()
	if err != nil {
		return only()
	}
	chosen := word[:strings.LastIndex(word, ",")+1]
	begun := strings.TrimPrefix(word, chosen)
	var all []string
	for _, requirement := range catalogue.All() {
		family := requirement.ID.Family()
		if strings.HasPrefix(family, begun) && !slices.Contains(all, chosen+family) {
			all = append(all, chosen+family)
		}
		if len(begun) >= len(family) && strings.HasPrefix(string(requirement.ID), begun) {
			all = append(all, chosen+string(requirement.ID)+"\t"+requirement.Title)
		}
	}
	return only(all...)
}

func like(word string, names []string) completion {
	return only(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, word) })...)
}

// formatsOf are those that a command writes.
func formatsOf(command string) []string {
	if command == "show" {
		return shows
	}
	var names []string
	for _, format := range formats.All() {
		names = append(names, format.Name)
	}
	return names
}

func shells() []string { return slices.Sorted(maps.Keys(completionScripts())) }

func listed(names []string) string { return strings.Join(names, ", ") }

func isSwitch(f *flag.Flag) bool {
	boolean, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && boolean.IsBoolFlag()
}

func flagOf(flags *flag.FlagSet, word string) *flag.Flag {
	if !strings.HasPrefix(word, "-") {
		return nil
	}
	return flags.Lookup(strings.TrimLeft(word, "-"))
}

// flagsTaken is the output of a command that is asked for its flags: describe leaves them there.
type flagsTaken struct {
	io.Writer
	flags *flag.FlagSet
}

// flagsOf are the flags of a command, which has to describe itself for that.
func flagsOf(command subcommand) *flag.FlagSet {
	taken := &flagsTaken{Writer: io.Discard, flags: flag.NewFlagSet(command.name(), flag.ContinueOnError)}
	// Its error is that help was asked for: see TestEveryCommandDescribesItself.
	_, _ = command.action(context.Background(), []string{"-help"}, taken)
	return taken.flags
}
