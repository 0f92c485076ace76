package simulation

import (
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// act is one thing that the environment can do. a and b choose among what there is.
type act struct {
	name   string
	weight int
	do     func(w *world, a, b int)
}

// acts are all of them, the plainest first, since rapid shrinks towards the first.
func acts(f flavour) []act {
	all := slices.Concat(rolloutActs(f), podActs(), nodeActs(), controllerActs())
	if f.deletes {
		all = append(all, act{"delete the DaemonSet and create it again", 1, recreate})
	}
	return all
}

func controllerActs() []act {
	return []act{
		{"restart the controller", 3, func(w *world, _, _ int) {
			w.api.note(history.Stimulus{Lever: "restart controller"})
			w.controller.start()
		}},
		{"lose the leader for a while", 2, func(w *world, a, _ int) {
			w.api.note(history.Stimulus{Lever: "kill controller"})
			w.controller.kill()
			started := w.controller.started
			w.clock.after(time.Duration(a)*time.Second, func() {
				if w.controller.started == started {
					w.controller.start()
				}
			})
		}},
		{"break the network", 1, func(w *world, _, _ int) {
			w.api.note(history.Stimulus{Lever: "break network"})
			w.controller.faults.on = true
		}},
		{"repair the network", 2, func(w *world, _, _ int) { w.controller.faults.on = false }},
	}
}

func recreate(w *world, _, _ int) {
	ds := w.api.daemonSet()
	w.api.note(history.Stimulus{Lever: "delete DaemonSet", Kind: history.KindDaemonSet, Namespace: namespace, Name: ds.Name, UID: ds.UID})
	w.api.remove(history.KindDaemonSet, ds.Name)
	w.deploy()
}
