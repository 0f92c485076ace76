package run

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// newFlags returns the flags of a command, still to be defined.
func newFlags(command string, out io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("rollcall "+command, flag.ContinueOnError)
	flags.SetOutput(out)
	return flags
}

// describe has -help say what the command does, before its flags.
func describe(flags *flag.FlagSet, text string) {
	flags.Usage = func() {
		if taken, ok := flags.Output().(*flagsTaken); ok {
			taken.flags = flags
			return
		}
		fmt.Fprint(flags.Output(), text)
		some := false
		flags.VisitAll(func(*flag.Flag) { some = true })
		if some {
			fmt.Fprintln(flags.Output(), "\nFlags:")
			flags.PrintDefaults()
		}
	}
}

// parseFlags parses a command's arguments. Its error is a usageError, or flag.ErrHelp when help was asked for and given.
func parseFlags(flags *flag.FlagSet, args []string) error {
	// The package prints every error with all flags below it.
	out := flags.Output()
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	flags.SetOutput(out)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, flag.ErrHelp):
		return usagef("%w (`%s -help` lists the flags)", err, flags.Name())
	}
	flags.Usage()
	return err
}

// parseFlagsOnly is parseFlags for a command that takes nothing but flags.
func parseFlagsOnly(flags *flag.FlagSet, args []string) error {
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usagef("unexpected argument %q", flags.Arg(0))
	}
	return nil
}
