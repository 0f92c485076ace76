// Command rollcall-variant is the reference controller with one difference, which --variant names; it has to come first. Several with commas
// between them are one controller that has all their differences. With --workload=toy behind it
// the controller is that of rollcall-toy. All other arguments are those of rollcall-reference. Package variants lists what there is.
package main

import (
	"fmt"
	"os"
	"slices"
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

// choose returns the options of the variants that the first argument names, and the arguments of the reference.
func choose(args []string) (reference.Options, []string, error) {
	if len(args) == 0 {
		return reference.Options{}, nil, fmt.Errorf("the first argument has to be --variant=NAME")
	}
	names, found := strings.CutPrefix(args[0], "--variant=")
	if !found {
		return reference.Options{}, nil, fmt.Errorf("the first argument has to be --variant=NAME, not %q", args[0])
	}
	options, further, err := together(strings.Split(names, ","))
	return options, slices.Concat(args[1:], further), err
}

// together returns the options of a controller that has the differences of all those variants, and the arguments that they add.
func together(names []string) (reference.Options, []string, error) {
	var ofDaemonSets []daemonset.Variant
	var ofBudgets []disruption.Variant
	var ofStatefulSets []statefulset.Variant
	for _, name := range names {
		if v, found := disruption.Named(name); found {
			ofBudgets = append(ofBudgets, v)
		} else if v, found := statefulset.Named(name); found {
			ofStatefulSets = append(ofStatefulSets, v)
		} else if v, err := daemonset.Named(name); err == nil {
			ofDaemonSets = append(ofDaemonSets, v)
		} else {
			return reference.Options{}, nil, err
		}
	}
	ds := daemonset.Together(ofDaemonSets...)
	return reference.Options{
		DaemonSet: ds.Options(), United: ds.UnitedOptions(),
		Disruption: disruption.Together(ofBudgets...).Options(), StatefulSet: statefulset.Together(ofStatefulSets...).Options(),
	}, ds.Args, nil
}
