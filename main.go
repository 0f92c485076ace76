// Command rollcall finds out whether a controller that rolls out per-node daemons keeps its promises. See `rollcall help`.
package main

import (
	"os"

	"github.com/rollcall-conformance/rollcall/suites/run"
)

func main() { os.Exit(run.Main(os.Args)) }
