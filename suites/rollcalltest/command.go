//go:build rollcall_command

// This file is never compiled. It has `go mod tidy` and `go mod vendor` of a module that uses this package keep what the rollcall command is made of, which Run builds.

package rollcalltest

import _ "github.com/rollcall-conformance/rollcall"
