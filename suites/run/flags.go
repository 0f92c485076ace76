package run

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
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
		return usagef("%s (`%s -help` lists the flags)", readable(flags, err), flags.Name())
	}
	flags.Usage()
	return err
}

// readable is the error's text with the form that the flag's value has to have, where package flag says no more than "parse error".
func readable(flags *flag.FlagSet, err error) string {
	text := err.Error()
	flags.VisitAll(func(f *flag.Flag) {
		value, typed := f.Value.(flag.Getter)
		before, ok := strings.CutSuffix(text, " -"+f.Name+": parse error")
		if !ok || !typed {
			return
		}
		text = fmt.Sprintf("%s -%s: it is %s", before, f.Name, form(value.Get()))
	})
	return text
}

// form describes how values of this type are written.
func form(value any) string {
	switch value.(type) {
	case bool:
		return "true or false"
	case time.Duration:
		return "a time, such as 1m30s"
	}
	return "a whole number, such as 4"
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
