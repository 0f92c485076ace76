// Command rollcall-toy runs the reference's DaemonSet controller for Daemons, the API of package toy. See fixtures/rbac/toy.yaml for what it may do.
package main

import (
	"os"

	"github.com/rollcall-conformance/rollcall/impl/daemonset"
	"github.com/rollcall-conformance/rollcall/impl/reference"
	"github.com/rollcall-conformance/rollcall/impl/toy"
)

func main() {
	reference.Main(os.Args[1:], reference.Options{DaemonSet: daemonset.Options{Workload: toy.API()}})
}
