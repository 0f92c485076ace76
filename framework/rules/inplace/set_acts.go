package inplace

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// onSetAct is a prohibition of acts on the pods of StatefulSets. wrong says what is wrong with one, or nothing, and whether that was to be decided.
func onSetAct(id requirements.ID, promise string, wrong func(*sets, *judge.Scene, *setAct) (got string, tested bool)) judge.Rule {
	return judge.Rule{
		Requirement: id,
		Kind:        judge.Prohibition,
		Promise:     promise,
		Needs:       setNeeds(),
		Situations:  actingOnSets(),
		New:         func(header history.Header) judge.Observer { return &setActs{sets: newSets(header), wrong: wrong} },
	}
}

type setActs struct {
	judge.Exercise
	sets
	wrong func(*sets, *judge.Scene, *setAct) (string, bool)
}

// Observe implements judge.Observer.
func (o *setActs) Observe(s *judge.Scene) []judge.Violation {
	o.learn(s)
	did := o.act(s)
	if did == nil {
		return nil
	}
	got, tested := o.wrong(&o.sets, s, did)
	if !tested {
		return nil
	}
	o.PutToTest()
	if got == "" {
		return nil
	}
	return did.violation(s, got)
}

// SetOrder is INPLACE-018: a rolling update goes from the largest ordinal down to the partition, and a pod that does not run is not patched.
func SetOrder() judge.Rule {
	return onSetAct("INPLACE-018", "pods of a StatefulSet are updated from the largest ordinal down to the partition, and none is patched that is not scheduled",
		func(_ *sets, s *judge.Scene, did *setAct) (string, bool) {
			// No pod loses its node: whoever patches one without has seen it without.
			if did.patched && did.before.Spec.NodeName == "" {
				return did.before.Name + " patched, which is not scheduled", true
			}
			if !did.updates(s) || !did.set.always(s, rolls) {
				return "", false
			}
			if did.set.always(s, func(is *appsv1.StatefulSet) bool { return did.ordinal < partitionOf(is) }) {
				return fmt.Sprintf("%s %s, the partition being %d", did.before.Name, did.verb(), partitionOf(did.set.now)), true
			}
			above := did.above(s)
			for _, pod := range above {
				old := did.set.always(s, func(is *appsv1.StatefulSet) bool { return !s.Cluster.Matches(pod, &is.Spec.Template) })
				if old && history.IsLive(pod) {
					return fmt.Sprintf("%s %s while %s is not updated", did.before.Name, did.verb(), pod.Name), true
				}
			}
			return "", len(above) > 0
		})
}

// SetPatches is INPLACE-031, as far as what can be patched is not deleted.
func SetPatches() judge.Rule {
	return onSetAct("INPLACE-031", "a StatefulSet's old pod that differs from the template in images alone is not deleted, where patches are asked for",
		func(o *sets, s *judge.Scene, did *setAct) (string, bool) {
			if did.patched {
				return "", true
			}
			ran, running := o.ran[did.before.UID]
			if !did.outdated(s) || !running || s.Lately(ran) || !o.patchable(s, did) {
				return "", false
			}
			return did.before.Name + " deleted, which differs from the template in images alone", true
		})
}

// patchable reports whether the pod has to be patched, by whichever state of the StatefulSet the implementation may be acting.
func (o *sets) patchable(s *judge.Scene, did *setAct) bool {
	return did.set.always(s, func(is *appsv1.StatefulSet) bool {
		if !o.inPlace(is) || !rolls(is) || did.ordinal < partitionOf(is) {
			return false
		}
		for _, from := range did.set.templates {
			if s.Cluster.Matches(did.before, from) && history.OnlyImagesDiffer(from, &is.Spec.Template) && !o.lost.held(s, from) {
				return true
			}
		}
		return false
	})
}

// SetPolicy is INPLACE-032: pods are patched only where that is asked for and makes them pods of the template, and in no init container.
func SetPolicy() judge.Rule {
	return onSetAct("INPLACE-032",
		"no pod of a StatefulSet is patched unless that is asked for, the strategy is RollingUpdate, and it makes a pod of the template, nor in an init container",
		func(o *sets, s *judge.Scene, did *setAct) (string, bool) {
			if !did.patched {
				return "", did.outdated(s) && !o.patchable(s, did)
			}
			if history.InitImagesDiffer(did.before, did.after) {
				return did.before.Name + " got another image of an init container", true
			}
			never := did.set.always(s, func(is *appsv1.StatefulSet) bool {
				return !o.inPlace(is) || !rolls(is) || !s.Cluster.Matches(did.after, &is.Spec.Template)
			})
			if !never {
				return "", true
			}
			switch is := did.set.now; {
			case !o.inPlace(is):
				return did.before.Name + " patched, the policy being to recreate pods", true
			case !rolls(is):
				return did.before.Name + " patched, the strategy being OnDelete", true
			}
			return did.before.Name + " got other images, and differs from the template in more", true
		})
}

// SetRevisions is INPLACE-034: images and label go together, and the status does not say too early that an update is over.
func SetRevisions() judge.Rule {
	return judge.Rule{
		Requirement: "INPLACE-034",
		Kind:        judge.Prohibition,
		Promise: "a pod of a StatefulSet gets new images and the label of their revision in one write, " +
			"and currentRevision becomes updateRevision only when all pods are updated",
		Needs:      append(setNeeds(), history.KindControllerRevision),
		Situations: actingOnSets(),
		New: judge.Both(
			func(header history.Header) judge.Observer { return &setOneWrite{sets: newSets(header)} },
			newSetOver),
	}
}

type setOneWrite struct {
	judge.Exercise
	sets
}

// Observe implements judge.Observer.
func (o *setOneWrite) Observe(s *judge.Scene) []judge.Violation {
	o.learn(s)
	did := o.act(s)
	if did != nil && did.patched {
		o.PutToTest()
		from, to := did.before.Labels[o.header.RevisionLabel], did.after.Labels[o.header.RevisionLabel]
		if from == to || to == "" {
			return did.violation(s, fmt.Sprintf("%s got other images, and its label went from %q to %q", did.after.Name, from, to))
		}
		return nil
	}
	return o.relabelled(s)
}

// relabelled is the part about a label that comes without its images.
func (o *setOneWrite) relabelled(s *judge.Scene) []judge.Violation {
	after, isPod := s.Change.Object.(*corev1.Pod)
	before, _ := s.Change.Before.(*corev1.Pod)
	if !isPod || before == nil || s.Change.Type == watch.Deleted || history.ImagesDiffer(before, after) || !s.ChangedByImplementation(before) {
		return nil
	}
	from, to := before.Labels[o.header.RevisionLabel], after.Labels[o.header.RevisionLabel]
	if o.known[ownerUID(after)] == nil || from == "" || from == to {
		return nil
	}
	for _, revision := range s.Cluster.Revisions {
		if revision.Name != to {
			continue
		}
		if template, err := history.TemplateIn(revision); err == nil && !s.Cluster.Matches(after, template) {
			o.PutToTest()
			did := &setAct{before: before}
			return did.violation(s, fmt.Sprintf("%s got the label %s, and not the images of that revision", after.Name, to))
		}
	}
	return nil
}
