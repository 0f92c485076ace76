package scenario

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/fixtures/workload/behaviour"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// The edits below say how the pods of a template fare, on simulated nodes and real ones alike unless they say otherwise. Healthy undoes them.

// NeverReady makes pods run without becoming ready, until a lever makes them.
func NeverReady() Edit { return templateLever("pods do not become ready", stages.Readiness, "false") }

// ReadyAfter makes pods take that long to become ready.
func ReadyAfter(delay time.Duration) Edit {
	return templateLever("pods become ready after "+delay.String(), stages.StartDelay, delay.String())
}

// Failing makes pods end in phase Failed as soon as they are on their node.
func Failing() Edit {
	fail := templateLever("pods fail", stages.Phase, string(corev1.PodFailed))
	return Edit{Says: fail.Says, Apply: func(d *appsv1.DaemonSet) {
		fail.Apply(d)
		// A kubelet rejects a pod that asks for a setting of the kernel that its node does not allow: it fails, and is not started again.
		d.Spec.Template.Spec.SecurityContext = &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "kernel.msgmax", Value: "8192"}}}
	}}
}

// CrashLooping makes pods' containers exit with 1 as soon as they start, over and over. Real nodes only: a simulated pod just stays unready.
func CrashLooping() Edit {
	unready, exit := NeverReady(), templateLever("", stages.ExitAfter, "0s")
	return edit(func(d *appsv1.DaemonSet) {
		unready.Apply(d)
		exit.Apply(d)
	}, "containers crash")
}

// IgnoreSIGTERM makes deleted pods stay terminating until a lever releases them.
func IgnoreSIGTERM() Edit {
	return templateLever("pods stay terminating", stages.Termination, string(behaviour.Ignore))
}

// DrainFor makes deleted pods stay terminating for that long, in which they give up what they serve and finish what they have accepted.
func DrainFor(duration time.Duration) Edit {
	return templateLever("pods drain for "+duration.String(), stages.DrainFor, duration.String())
}

// KeepReady makes pods stay Ready while a container whose image was changed restarts, as those without a readiness probe do. Simulated nodes only.
func KeepReady() Edit {
	return templateLever("pods stay Ready while containers restart", stages.Restart, "keep-ready")
}

// ReadinessGate has pods be Ready only while they have the condition with status True, which somebody has to write.
func ReadinessGate(condition corev1.PodConditionType) Edit {
	return edit(func(d *appsv1.DaemonSet) {
		spec := &d.Spec.Template.Spec
		spec.ReadinessGates = append(spec.ReadinessGates, corev1.PodReadinessGate{ConditionType: condition})
	}, "readiness gate %s", condition)
}

// HoldRestarts keeps containers whose image is changed from being restarted until a lever lets them. Simulated nodes only.
func HoldRestarts() Edit {
	return templateLever("containers are not restarted", stages.Restart, "hold")
}

// SameImageAgain gives the container the image tagged v1 by another tag. Simulated nodes only.
func SameImageAgain() Edit { return Image(stages.AgainTag) }

// UnpullableImage gives the container an image that no node can have, so that pods stay Pending, each with a waiting container. Image undoes it.
func UnpullableImage() Edit { return Image(stages.MissingTag) }

// Healthy undoes NeverReady, ReadyAfter, Failing, CrashLooping, IgnoreSIGTERM and DrainFor for new pods.
func Healthy() Edit {
	return edit(func(d *appsv1.DaemonSet) {
		for key := range d.Spec.Template.Annotations {
			if strings.HasPrefix(key, history.LeverPrefix) {
				delete(d.Spec.Template.Annotations, key)
			}
		}
		if security := d.Spec.Template.Spec.SecurityContext; security != nil {
			security.Sysctls = nil
		}
	}, "healthy pods")
}

func templateLever(says, key, value string) Edit {
	return edit(func(d *appsv1.DaemonSet) { metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, key, value) }, "%s", says)
}
