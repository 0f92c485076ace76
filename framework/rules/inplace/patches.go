package inplace

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// onPatch is the rule about patches of the implementation. wrong says what is wrong with one, and whether the promise is about it at all; tempted whether
// a step without one puts the promise to the test, too.
func onPatch(id requirements.ID, promise string, situations []judge.Situation, wrong func(*judge.Scene, *judge.Patch) (got string, tested bool), tempted func(*judge.Scene) bool) judge.Rule {
	return judge.Rule{
		Requirement: id,
		Kind:        judge.Prohibition,
		Promise:     promise,
		Needs:       everything(),
		Situations:  situations,
		New:         func(history.Header) judge.Observer { return &patches{wrong: wrong, tempted: tempted} },
	}
}

type patches struct {
	judge.Exercise
	wrong   func(*judge.Scene, *judge.Patch) (string, bool)
	tempted func(*judge.Scene) bool
}

// Observe implements judge.Observer.
func (o *patches) Observe(s *judge.Scene) []judge.Violation {
	if o.tempted(s) {
		o.PutToTest()
	}
	patch := s.Patched
	if patch == nil || !patch.Voluntary {
		return nil
	}
	got, tested := o.wrong(s, patch)
	if !tested {
		return nil
	}
	o.PutToTest()
	if got == "" {
		return nil
	}
	return s.OnNode(patch.Pod.Workload, patch.Pod.Node, got)
}

// never is for promises that only patches can break, and only they put to the test.
func never(*judge.Scene) bool { return false }

// OnDelete is INPLACE-011, as far as pods are not patched.
func OnDelete() judge.Rule {
	onDelete := func(settings judge.Settings) bool { return !settings.Rolling }
	return onPatch("INPLACE-011", "with OnDelete no pod is patched", beginning(), func(s *judge.Scene, p *judge.Patch) (string, bool) {
		if !p.Pod.Workload.Always(s.Now, onDelete) {
			return "", false
		}
		return fmt.Sprintf("%s patched, the strategy being OnDelete", p.Pod.Object.Name), true
	}, func(s *judge.Scene) bool {
		return s.Rolled != nil && s.Rolled.Settings.InPlace && onDelete(s.Rolled.Settings)
	})
}

// ByDefault is INPLACE-002, as far as pods are not patched.
func ByDefault() judge.Rule {
	recreate := func(settings judge.Settings) bool { return !settings.InPlace }
	return onPatch("INPLACE-002", "no pod is patched unless the DaemonSet asks for it", patching(), func(s *judge.Scene, p *judge.Patch) (string, bool) {
		if !p.Pod.Workload.Always(s.Now, recreate) {
			return "", false
		}
		return fmt.Sprintf("%s patched, the policy being to recreate pods", p.Pod.Object.Name), true
	}, func(s *judge.Scene) bool {
		return s.Removed != nil && s.Removed.Voluntary && recreate(s.Removed.Pod.Workload.Settings) && !s.Cluster.IsUpdated(s.Removed.Pod.Object)
	})
}

// Runs is INPLACE-021, as far as such pods are not patched.
func Runs() judge.Rule {
	return onPatch("INPLACE-021", "no pod is patched that is not scheduled, is terminating or has ended", patching(), func(_ *judge.Scene, p *judge.Patch) (string, bool) {
		if p.Before.Spec.NodeName != "" && history.IsLive(p.Before) || !p.Settled {
			return "", false
		}
		return fmt.Sprintf("%s patched, which %s", p.Pod.Object.Name, state(p.Before)), true
	}, func(s *judge.Scene) bool {
		before, isPod := s.Change.Before.(*corev1.Pod)
		return s.Removed != nil && s.Removed.Voluntary && isPod && s.Removed.Pod.Workload.Settings.InPlace &&
			(before.Spec.NodeName == "" || !history.IsLive(before))
	})
}

func state(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil:
		return "is terminating"
	case history.IsTerminal(pod):
		return "has ended in phase " + string(pod.Status.Phase)
	}
	return "is not scheduled"
}

// Template is INPLACE-004: a pod that is patched is one of the template in force then, or of one that was until less than judge.Lag ago.
func Template() judge.Rule {
	return onPatch("INPLACE-004", "a pod that is patched is then as the template in force would have made it", patching(), func(s *judge.Scene, p *judge.Patch) (string, bool) {
		w := p.Pod.Workload
		for settings := range w.Recent(s.Now) {
			template := s.Cluster.Template(w.Object.UID, settings.Template)
			if template == nil || s.Cluster.Matches(p.Pod.Object, template) {
				return "", true
			}
		}
		return fmt.Sprintf("%s got other images, and differs from the template in more", p.Pod.Object.Name), true
	}, never)
}

// ZeroDowntime is INPLACE-020: a patch restarts what runs.
func ZeroDowntime() judge.Rule {
	return onPatch("INPLACE-020", "with maxSurge the only available pod of an eligible node is not patched", surging(), func(s *judge.Scene, p *judge.Patch) (string, bool) {
		if !s.ZeroDowntime(p.Pod.Workload) || !p.Wanted {
			return "", false
		}
		if !p.RestartsLastAvailable() {
			return "", true
		}
		return fmt.Sprintf("%s patched, the node's only available pod", p.Pod.Object.Name), true
	}, surgesInPlace)
}

// Limit is INPLACE-012.
func Limit() judge.Rule {
	return onPatch("INPLACE-012", "an available pod is patched only while no more than maxUnavailable eligible nodes are then without one", patching(),
		func(s *judge.Scene, p *judge.Patch) (string, bool) {
			limit, bounded := s.PatchSpendsUnavailable()
			if !bounded {
				return "", false
			}
			nodes := s.Unserved(p.Pod.Workload)
			if len(nodes) <= limit {
				return "", true
			}
			return fmt.Sprintf("%d nodes without an available pod (%s), maxUnavailable being %d", len(nodes), judge.NodeNames(nodes), limit), true
		}, never)
}

// surgesInPlace reports whether the implementation creates a pod beside an old one that it must not patch, though the DaemonSet asks for that.
func surgesInPlace(s *judge.Scene) bool {
	return s.Created != nil && len(s.Created.Beside) > 0 && s.Created.Pod.Workload.Settings.InPlace && s.ZeroDowntime(s.Created.Pod.Workload)
}
