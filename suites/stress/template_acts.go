package stress

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
)

// templateActs are what a user does to the DaemonSet.
func templateActs() map[string]act {
	return map[string]act{
		schedule.Update:       func(ctx context.Context, p *player, _, _ int) { p.update(ctx, Healthy(), p.nextImage()) },
		schedule.UpdateBroken: func(ctx context.Context, p *player, _, _ int) { p.update(ctx, Healthy(), p.nextImage(), NeverReady()) },
		schedule.UpdateSlow: func(ctx context.Context, p *player, a, _ int) {
			p.update(ctx, Healthy(), p.nextImage(), ReadyAfter(time.Duration(1+a%4)*500*time.Millisecond))
		},
		schedule.UpdateFailing: func(ctx context.Context, p *player, _, _ int) { p.update(ctx, Healthy(), p.nextImage(), Failing()) },
		schedule.UpdateMissing: func(ctx context.Context, p *player, _, _ int) { p.update(ctx, Healthy(), UnpullableImage()) },
		schedule.UpdateAllButImage: func(ctx context.Context, p *player, a, _ int) {
			p.update(ctx, gracePeriod(int64(300+len(p.templates)+a)))
		},
		schedule.UpdateOther: func(ctx context.Context, p *player, _, _ int) {
			if len(p.daemonSet.Spec.Template.Spec.Containers) == 1 {
				p.update(ctx, Sidecar(), SidecarImage(p.nextTag()))
				return
			}
			p.update(ctx, SidecarImage(p.nextTag()))
		},
		schedule.UpdateToOne: func(ctx context.Context, p *player, _, _ int) {
			p.update(ctx, Healthy(), p.nextImage(), oneContainer())
		},
		schedule.UpdateToPool:      func(ctx context.Context, p *player, a, _ int) { p.update(ctx, Healthy(), p.nextImage(), onPool(a)) },
		schedule.UpdateToEveryPool: func(ctx context.Context, p *player, _, _ int) { p.update(ctx, Healthy(), p.nextImage(), onEveryPool()) },
		schedule.Tolerate: func(ctx context.Context, p *player, _, _ int) {
			p.update(ctx, Healthy(), p.nextImage(), rollouts.Tolerate())
		},
		schedule.TolerateNoLonger: func(ctx context.Context, p *player, _, _ int) {
			p.update(ctx, Healthy(), p.nextImage(), rollouts.TolerateNoLonger())
		},
		schedule.UpdateTolerations: func(ctx context.Context, p *player, a, _ int) {
			all := schedule.Tolerations(rollouts.ClosedTaint)
			p.update(ctx, Healthy(), p.nextImage(), where(all[a%len(all)]))
		},
		schedule.UpdatePlacement: func(ctx context.Context, p *player, a, b int) {
			all := schedule.Placements(pools(), p.nodes[b%len(p.nodes)])
			p.update(ctx, Healthy(), p.nextImage(), where(all[a%len(all)]))
		},
		schedule.RollBack: func(ctx context.Context, p *player, a, _ int) {
			chosen := a % len(p.templates)
			p.edit(ctx, Edit{Says: fmt.Sprintf("the template before %d others", len(p.templates)-1-chosen), Apply: func(d *appsv1.DaemonSet) {
				d.Spec.Template = *p.templates[chosen].DeepCopy()
			}})
		},
		schedule.ChangeStrategy: func(ctx context.Context, p *player, a, _ int) {
			strategies := schedule.Strategies()
			p.edit(ctx, p.strategy(strategies[a%len(strategies)]))
		},
		schedule.ChangePolicy:   func(ctx context.Context, p *player, _, _ int) { p.changePolicy(ctx) },
		schedule.ChangeMinReady: func(ctx context.Context, p *player, a, _ int) { p.edit(ctx, MinReadySeconds(int32(a%3))) },
		schedule.ChangeHistoryLimit: func(ctx context.Context, p *player, a, _ int) {
			p.edit(ctx, Edit{Says: fmt.Sprintf("revisionHistoryLimit %d", a%4), Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = ptr.To(int32(a % 4)) }})
		},
	}
}

// edit changes the DaemonSet.
func (p *player) edit(ctx context.Context, edits ...Edit) {
	p.daemonSet = p.Update(ctx, p.daemonSet, append(edits, p.form...)...)
}

// in are the edits that write a DaemonSet in the form of that name.
func in(name string) []Edit {
	form, found := schedule.FormOf(name)
	switch {
	case !found:
		panic("there is no form " + name) // Parse and Draw know those that there are
	case name == "":
		return nil
	}
	return []Edit{{Says: "form " + name, Apply: form.Write}}
}

// update gives the DaemonSet another template.
func (p *player) update(ctx context.Context, template ...Edit) {
	p.edit(ctx, template...)
	p.templates = append(p.templates, p.daemonSet.Spec.Template)
}

// nextTag is one of the eight that are not the first's, in turn.
func (p *player) nextTag() string { return fmt.Sprintf("v%d", 2+len(p.templates)%8) }

func (p *player) nextImage() Edit { return Image(p.nextTag()) }

// strategy is the edit that makes the strategy. One that surges is another for who does not claim that.
func (p *player) strategy(s schedule.Strategy) Edit {
	switch {
	case s.OnDelete:
		return OnDelete()
	case s.Surges() && p.Claims(requirements.Surge):
		return MaxSurge(s.MaxSurge)
	case s.Surges():
		return MaxUnavailable(s.MaxSurge)
	}
	return MaxUnavailable(s.MaxUnavailable)
}

// changePolicy has the DaemonSet ask for updates in place if it did not, and no longer if it did.
func (p *player) changePolicy(ctx context.Context) {
	if !p.Claims(requirements.InPlaceUpdate) {
		return
	}
	p.inPlace = !p.inPlace
	if p.inPlace {
		p.edit(ctx, p.InPlaceIfPossible())
		return
	}
	p.edit(ctx, p.Recreate())
}

// poolLabel is the label of every node. There are two pools, "0" and "1".
const poolLabel = "rollcall.dev/stress-pool"

func pools() schedule.Pool {
	return schedule.Pool{Label: poolLabel, Values: [2]string{poolOf(0), poolOf(1)}}
}

// where is the edit that says where pods are to run.
func where(placement schedule.Placement) Edit {
	return Edit{Says: placement.Says, Apply: func(d *appsv1.DaemonSet) { placement.Apply(&d.Spec.Template.Spec) }}
}

func poolOf(number int) string { return fmt.Sprint(number % 2) }

// onPool has pods on the nodes of one pool only, onEveryPool on those of both.
func onPool(number int) Edit {
	return Edit{Says: "pool " + poolOf(number), Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.NodeSelector[poolLabel] = poolOf(number)
	}}
}

func onEveryPool() Edit { return where(schedule.Placements(pools(), "")[0]) }

func oneContainer() Edit {
	return Edit{Says: "one container", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Containers = []corev1.Container{d.Spec.Template.Spec.Containers[0]}
	}}
}

func gracePeriod(seconds int64) Edit {
	return Edit{Says: fmt.Sprintf("grace period %d s", seconds), Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.TerminationGracePeriodSeconds = &seconds
	}}
}
