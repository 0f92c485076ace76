// Command rollcall-variant is the reference controller with one difference, which --variant names; it has to come first. With --workload=toy behind it
// the controller is that of rollcall-toy. All other arguments are those of rollcall-reference. Package variants lists what there is.
package main

import (
	"fmt"
	"os"
	"strings"

	daemonset "github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
	disruption "github.com/rollcall-conformance/rollcall/impl/disruption/variants"
	"github.com/rollcall-conformance/rollcall/impl/reference"
	statefulset "github.com/rollcall-conformance/rollcall/impl/statefulset/variants"
	"github.com/rollcall-conformance/rollcall/impl/toy"
)

func main() {
	options, args, err := choose(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "rollcall-variant:", err)
		os.Exit(2)
	}
	if reconcilesDaemons, others := cutToy(args); reconcilesDaemons {
		options.DaemonSet.Workload, args = toy.API(), others
	}
	reference.Main(args, options)
}

// ofToy is the argument that has the controller reconcile Daemons.
const ofToy = "--workload=toy"

// cutToy reports whether that is the first of the arguments, and returns the others.
func cutToy(args []string) (found bool, others []string) {
	if len(args) == 0 || args[0] != ofToy {
		return false, args
	}
	return true, args[1:]
}

// choose returns the options of the variant that the first argument names, and the arguments of the reference.
func choose(args []string) (reference.Options, []string, error) {
	if len(args) == 0 {
		return reference.Options{}, nil, fmt.Errorf("the first argument has to be --variant=NAME")
	}
	name, found := strings.CutPrefix(args[0], "--variant=")
	if !found {
		return reference.Options{}, nil, fmt.Errorf("the first argument has to be --variant=NAME, not %q", args[0])
	}
	others := args[1:len(args):len(args)]
	if v, found := disruption.Named(name); found {
		return reference.Options{Disruption: v.Options()}, others, nil
	}
	if v, found := statefulset.Named(name); found {
		return reference.Options{StatefulSet: v.Options()}, others, nil
	}
	v, err := daemonset.Named(name)
	if err != nil {
		return reference.Options{}, nil, err
	}
	return reference.Options{DaemonSet: v.Options(), United: v.UnitedOptions()}, append(others, v.Args...), nil
}
