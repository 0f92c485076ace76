package stress

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

// controllerActs are what happens to the implementation.
func controllerActs() map[string]act {
	return map[string]act{
		schedule.Restart: func(ctx context.Context, p *player, _, _ int) {
			p.kill(ctx)
			p.start(ctx, p.gateOff)
		},
		schedule.Kill: func(ctx context.Context, p *player, _, _ int) { p.kill(ctx) },
		schedule.SwitchGate: func(ctx context.Context, p *player, _, _ int) {
			if p.Claims(requirements.SurgeGate) {
				p.kill(ctx)
				p.start(ctx, !p.gateOff)
			}
		},
	}
}

// kill ends the implementation until start.
func (p *player) kill(ctx context.Context) {
	p.restarting.Lock()
	defer p.restarting.Unlock()
	if !p.killed {
		p.killed = true
		p.Case.Kill(ctx)
	}
}

// start starts the implementation with its feature gate off or on, unless it runs like that.
func (p *player) start(ctx context.Context, gateOff bool) {
	p.restarting.Lock()
	defer p.restarting.Unlock()
	if !p.killed && p.gateOff == gateOff {
		return
	}
	p.killed, p.gateOff = false, gateOff
	if gateOff {
		p.RestartWith(ctx, implementation.Change{Gates: map[string]bool{implementation.SurgeGate: false}})
		return
	}
	p.Case.Restart(ctx)
}
