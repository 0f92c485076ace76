// Package rules joins the rules of all subjects.
package rules

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/disruption"
	"github.com/rollcall-conformance/rollcall/framework/rules/inplace"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
	"github.com/rollcall-conformance/rollcall/framework/rules/united"
)

// All returns the rules that stand over every recording. Where one event breaks several, the rule that names the most specific cause comes first, and
// what follows from it later: a report that leads with the first leads with the cause.
func All() []judge.Rule {
	return slices.Concat(rollout.Rules(), inplace.Rules(), status.Rules(), revisions.Rules(), united.Rules(), disruption.Rules())
}
