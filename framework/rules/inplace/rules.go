// Package inplace holds the rules about pods that are updated by patching them.
package inplace

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Rules returns all of the package, the most specific cause first.
func Rules() []judge.Rule {
	return []judge.Rule{
		OnDelete(), ByDefault(), Runs(), OneWrite(), InitContainers(), Template(), Counts(), ZeroDowntime(), Limit(), Patches(),
		SetPolicy(), SetRevisions(), SetOrder(), SetCounts(), SetPatches(),
	}
}

// everything are the kinds that decide what may be patched.
func everything() []history.Kind {
	return []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode}
}
