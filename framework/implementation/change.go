package implementation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Change is how a start of the implementation differs from what its file says. The zero value is no difference.
type Change struct {
	// Args are arguments of the form --flag=value. Each takes the place of those of the same flag, written in that form, or is appended.
	Args []string
	// Env is set in the environment, over what is there.
	Env map[string]string
	// Gates are feature gates to be switched on or off, by their names; see Gates. The implementation file says by which arguments (LaunchSpec.Gates).
	Gates map[string]bool
}

// SurgeGate is the feature gate of surge (GATE-010).
const SurgeGate = "DaemonSetUpdateSurge"

// Gates lists the feature gates that specs switch.
func Gates() []string { return []string{SurgeGate} }

// gateVariable stands for true or false in the argument that switches a gate.
const gateVariable = "${ON}"

// String lists the changes: gates, arguments, environment.
func (c Change) String() string {
	var all []string
	for _, gate := range slices.Sorted(maps.Keys(c.Gates)) {
		all = append(all, gate+"="+strconv.FormatBool(c.Gates[gate]))
	}
	all = append(all, c.Args...)
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		all = append(all, name+"="+c.Env[name])
	}
	return strings.Join(all, ", ")
}

// gateArgs are the arguments that switch the gates of the change, of which the implementation file has these.
func (c Change) gateArgs(known map[string]string) ([]string, error) {
	var args []string
	for _, gate := range slices.Sorted(maps.Keys(c.Gates)) {
		arg, found := known[gate]
		if !found {
			return nil, unavailablef("the implementation file does not say how the feature gate %s is switched: spec.launch.gates does", gate)
		}
		args = append(args, strings.ReplaceAll(arg, gateVariable, strconv.FormatBool(c.Gates[gate])))
	}
	return args, nil
}

// rewrite returns a command line with the arguments of the change. Those for gates are appended, whatever is there: one flag often serves all gates and
// adds up.
func (c Change) rewrite(command, args, gates []string) (changedCommand, changedArgs []string) {
	command, args = slices.Clone(command), slices.Clone(args)
	for _, arg := range c.Args {
		inCommand, inArgs := replaceFlag(&command, arg), replaceFlag(&args, arg)
		if !inCommand && !inArgs {
			args = append(args, arg)
		}
	}
	return command, append(args, gates...)
}

// replaceFlag puts the argument in the place of the first of its flag, removes the others, and reports whether there was one.
func replaceFlag(args *[]string, with string) bool {
	name, _, hasValue := strings.Cut(with, "=")
	same := func(arg string) bool { return hasValue && strings.HasPrefix(arg, name+"=") }
	first := slices.IndexFunc(*args, same)
	if first < 0 {
		return false
	}
	others := slices.DeleteFunc((*args)[first+1:], same)
	*args = append(append((*args)[:first], with), others...)
	return true
}

// rewriteContainer makes the container as another is, which is what the file says of it, with the change.
func (c Change) rewriteContainer(container *corev1.Container, original corev1.Container, gates []string) {
	container.Command, container.Args = c.rewrite(original.Command, original.Args, gates)
	container.Env = slices.DeleteFunc(slices.Clone(original.Env), func(v corev1.EnvVar) bool { _, set := c.Env[v.Name]; return set })
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: c.Env[name]})
	}
}

// environ is the environment of a local process with the change, given what the file says.
func (c Change) environ(original []string) []string {
	env := slices.Clone(original)
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, fmt.Sprintf("%s=%s", name, c.Env[name])) // the last wins
	}
	return env
}
