// Package api has the specs of the DaemonSet API itself: what the API server accepts, rejects, defaults and counts.
package api

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	limits()
	strategy()
	counters()
	identity()
}

// strategyOf sets the rollingUpdate block as given; an empty value leaves its field out.
func strategyOf(maxSurge, maxUnavailable string) scenario.Edit {
	return scenario.Edit{
		Says: fmt.Sprintf("maxSurge %q, maxUnavailable %q", maxSurge, maxUnavailable),
		Apply: func(d *appsv1.DaemonSet) {
			d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
				Type:          appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: parse(maxSurge), MaxUnavailable: parse(maxUnavailable)},
			}
		},
	}
}

func parse(value string) *intstr.IntOrString {
	if value == "" {
		return nil
	}
	parsed := intstr.Parse(value)
	return &parsed
}

// set is an edit in words.
func set(says string, apply func(*appsv1.DaemonSet)) scenario.Edit {
	return scenario.Edit{Says: says, Apply: apply}
}

// accepted decides a requirement by the API server having taken a request.
func accepted(c *spec.Case, id requirements.ID, what string, err error) bool {
	mustBeAReply(c, err)
	c.Answer(id, err == nil, what+" is accepted", describe(err))
	return err == nil
}

// rejected decides a requirement by the API server having refused a request as invalid, naming the field.
func rejected(c *spec.Case, id requirements.ID, what, field string, err error) {
	mustBeAReply(c, err)
	kept := apierrors.IsInvalid(err) && strings.Contains(err.Error(), field)
	c.Answer(id, kept, fmt.Sprintf("%s is rejected as invalid, with an error that names %s", what, field), describe(err))
}

// refused decides a requirement by the API server having refused a request, be it as invalid or as not even readable.
func refused(c *spec.Case, id requirements.ID, what string, err error) {
	mustBeAReply(c, err)
	c.Answer(id, apierrors.IsInvalid(err) || apierrors.IsBadRequest(err), what+" is rejected", describe(err))
}

// mustBeAReply ends the spec when an error says nothing about the request: the API server could not be reached, or was not able to judge it.
func mustBeAReply(c *spec.Case, err error) {
	if err != nil && !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) && !apierrors.IsForbidden(err) {
		c.CannotDecide("the API server gave no verdict on a request: " + err.Error())
	}
}

// equal decides a requirement by a stored value.
func equal(c *spec.Case, id requirements.ID, what string, want, got any) {
	c.Answer(id, want == got, fmt.Sprintf("%s is %v", what, want), fmt.Sprint(got))
}

func describe(err error) string {
	if err == nil {
		return "accepted"
	}
	return err.Error()
}

// limitsOf returns the stored limits in words, "none" for one that is not there.
func limitsOf(d *appsv1.DaemonSet) (maxSurge, maxUnavailable string) {
	maxSurge, maxUnavailable = "none", "none"
	if block := d.Spec.UpdateStrategy.RollingUpdate; block != nil {
		if block.MaxSurge != nil {
			maxSurge = block.MaxSurge.String()
		}
		if block.MaxUnavailable != nil {
			maxUnavailable = block.MaxUnavailable.String()
		}
	}
	return maxSurge, maxUnavailable
}
