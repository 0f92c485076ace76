// Command rollcall-reference runs the reference controllers: replacements for controllers of kube-controller-manager
// that have to be switched off there (--controllers=*,-daemonset-controller,-disruption-controller,-statefulset-controller). See fixtures/rbac/reference.yaml for what they may do.
package main

import (
	"os"

	"github.com/rollcall-conformance/rollcall/impl/reference"
)

func main() { reference.Main(os.Args[1:], reference.Options{}) }
