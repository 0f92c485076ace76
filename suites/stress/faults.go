package stress

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/relay"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

// throttled is how long an implementation is told to wait.
const throttled = time.Second

// effects are what may happen to a write, by the names that schedules have for it. Of one after which the implementation is killed the answer is lost, too.
func effects() map[string]relay.Effect {
	return map[string]relay.Effect{
		schedule.KillAfter:   relay.LostAnswer{},
		schedule.LoseAnswer:  relay.LostAnswer{},
		schedule.Conflict:    relay.Refused{Code: http.StatusConflict},
		schedule.Throttle:    relay.Refused{Code: http.StatusTooManyRequests, RetryAfter: throttled},
		schedule.ServerError: relay.Refused{Code: http.StatusInternalServerError},
		schedule.TimeOut:     relay.Refused{Code: http.StatusGatewayTimeout},
	}
}

// setFaults has the implementation's writes meet the faults from now on.
func (p *player) setFaults(ctx context.Context, all []schedule.Fault) {
	if len(all) == 0 {
		return
	}
	var set []relay.Fault
	for _, one := range all {
		resource, subresource, _ := strings.Cut(one.Resource, "/")
		fault := relay.Fault{
			Of: relay.Selector{Verbs: []string{one.Verb}, Resource: resource, Subresource: subresource}, First: one.Number, Effect: effects()[one.Kind],
		}
		if one.Kind == schedule.KillAfter {
			fault.Met = p.KillAfter(ctx, &p.restarting)
		}
		set = append(set, fault)
	}
	p.SetFaults(ctx, set...)
}
