package run

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// completionScripts are the scripts by which shells complete rollcall's command line. They ask `rollcall __complete`.
func completionScripts() map[string]func(io.Writer) error {
	root := &cobra.Command{Use: "rollcall"}
	return map[string]func(io.Writer) error{
		"bash": func(out io.Writer) error { return root.GenBashCompletionV2(out, true) },
		"fish": func(out io.Writer) error { return root.GenFishCompletion(out, true) },
		"zsh":  root.GenZshCompletion,
	}
}

// writeCompletion is `rollcall completion`.
func writeCompletion(args []string, out io.Writer) (int, error) {
	flags := newFlags("completion", out)
	describe(flags, `rollcall completion SHELL

Prints the script by which a shell completes commands, flags and their values: bash (which needs the package bash-completion), fish or zsh.

  source <(rollcall completion bash)                                   # in ~/.bashrc
  rollcall completion fish > ~/.config/fish/completions/rollcall.fish
  rollcall completion zsh > "${fpath[1]}/_rollcall"                    # with compinit in ~/.zshrc
`)
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() != 1 {
		return exitUsage, usagef("name one shell: %s", listed(shells()))
	}
	script, known := completionScripts()[flags.Arg(0)]
	if !known {
		return exitUsage, usagef("there is no completion for %q: want one of %s", flags.Arg(0), listed(shells()))
	}
	return exitConformant, script(out)
}

// completeWords answers the scripts: what the last of the words can be, a line each, and then, by cobra's number for it, what the shell does besides.
func completeWords(words []string, out io.Writer) (int, error) {
	answer := complete(words)
	for _, candidate := range answer.candidates {
		fmt.Fprintln(out, candidate)
	}
	_, err := fmt.Fprintf(out, ":%d\n", answer.directive)
	return exitConformant, err
}
