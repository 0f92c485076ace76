package simulation

import (
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/features"
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
	if f.gates {
		all = append(all, act{"switch the feature gate", 12, switchGate})
	}
	if f.inPlace {
		all = append(all, act{"change the pod update policy", 1, switchPolicy})
	}
	if f.crosses {
		all = append(all, inPlaceActs()...)
	}
	if f.owners {
		all = append(all, ownerActs()...)
	}
	if f.tampers {
		all = append(all, revisionActs()...)
	}
	if f.stalls {
		all = append(all, slices.Concat(stallActs(), shapeActs())...)
	}
	if f.odd {
		all = append(all, oddActs()...)
	}
	if f.deletes {
		all = append(all,
			act{"delete the DaemonSet and create it again", 1, recreate},
			act{"delete the DaemonSet but leave its pods, and create it again", 1, adoptAll},
			act{"delete the DaemonSet in the foreground, and create it again once it is gone", 1, deleteInForeground},
		)
	}
	return all
}

func controllerActs() []act {
	return []act{
		{"restart the controller", 3, func(w *world, _, _ int) {
			w.startController()
		}},
		{"kill the controller", 0, func(w *world, _, _ int) {
			w.api.noteControl(history.Stimulus{Act: history.KillImplementation}, w.controller.kill)
		}},
		{"lose the leader for a while", 2, func(w *world, a, _ int) {
			w.api.noteControl(history.Stimulus{Act: history.KillImplementation}, w.controller.kill)
			started := w.controller.started
			w.clock.after(time.Duration(a)*time.Second, func() {
				if w.controller.started == started {
					w.startController()
				}
			})
		}},
		{"break the network", 1, func(w *world, _, _ int) {
			w.api.noteControl(history.Stimulus{Act: history.CutOffImplementation}, func() { w.controller.faults.on, w.controller.faults.ever = true, true })
		}},
		{"repair the network", 2, func(w *world, _, _ int) { w.reconnect() }},
	}
}

// startController starts a process, instead of one that runs, with the feature gate as it is set.
func (w *world) startController() {
	w.api.noteControl(history.Stimulus{
		Act: history.RestartImplementation, Gates: map[string]bool{string(features.DaemonSetUpdateSurge): !w.controller.surgeDisabled},
	}, w.controller.start)
}

// switchGate starts a process with the feature gate off if it was on, on if it was off.
func switchGate(w *world, _, _ int) {
	w.controller.surgeDisabled = !w.controller.surgeDisabled
	w.startController()
}

// reconnect repairs the network. The process notices: its watches are established anew.
func (w *world) reconnect() {
	if !w.controller.faults.on {
		return
	}
	w.api.noteControl(history.Stimulus{Act: history.ReconnectImplementation}, func() {
		w.controller.faults.on = false
		if w.controller.process != nil {
			w.controller.wake(w.controller.process, 0)
		}
	})
}
