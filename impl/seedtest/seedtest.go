// Package seedtest gives one seed to all tests that draw what they try, so that a commit can be tested with the same draws again.
package seedtest

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Variable is the variable of the environment that holds the seed, a positive decimal integer. Where it is empty or not set, the clock chooses one.
const Variable = "ROLLCALL_SEED"

// Main runs the tests of a package, whose run it is, once rapid has the seed: that of -rapid.seed, else that of Variable. It returns the exit code for TestMain:
// 2 if Variable is no seed.
func Main(run func() int) int {
	flag.Parse()
	seed, err := of(os.Getenv(Variable), time.Now())
	if err == nil {
		err = Preset("rapid.seed", "0", seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return run()
}

// Preset sets a flag of the tests if it has its default. Its error is that there is no such flag, or that it cannot have that value.
func Preset(name, standard, value string) error {
	setting := flag.Lookup(name)
	switch {
	case setting == nil:
		return fmt.Errorf("these tests have no flag -%s: they do not import its package", name)
	case setting.Value.String() != standard:
		return nil
	}
	return setting.Value.Set(value)
}

// of returns the seed to use where the environment has value.
func of(value string, now time.Time) (string, error) {
	if value == "" {
		return strconv.FormatInt(now.UnixMicro(), 10), nil
	}
	if seed, err := strconv.ParseUint(value, 10, 64); err != nil || seed == 0 {
		return "", fmt.Errorf("%s is %q, which is no seed: give a positive decimal integer, or none", Variable, value)
	}
	return value, nil
}
