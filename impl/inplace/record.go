package inplace

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Record is the annotation of a pod that was updated in place. It is written with the images, so that no process, however often one ends in
// between, takes the containers of before for those that were asked for.
const Record = "rollcall.dev/in-place-update"

// record is the value of Record.
type record struct {
	// At is when the last update in place was decided.
	At metav1.Time `json:"at"`
	// Generation is the pod's metadata.generation with that update; 0 where the API server counts none.
	Generation int64 `json:"generation,omitempty"`
	// Containers are those that the last update changed, or that an earlier one did which had not taken effect by then.
	Containers map[string]instance `json:"containers,omitempty"`
}

// instance is what a container was when it was to be restarted.
type instance struct {
	// ID and Restarts are its containerID and restartCount then; ID is empty if none ran.
	ID       string `json:"id,omitempty"`
	Restarts int32  `json:"restarts"`
	// Image is what that instance is known to run; empty if that is not known.
	Image string `json:"image,omitempty"`
	// Maybe: it is not known, and may be the image that is asked for now, since an earlier update asked for it, too.
	Maybe bool `json:"maybe,omitempty"`
	// Skipped are images asked for by earlier updates that had not taken effect: an instance of one of them may be started yet.
	Skipped []string `json:"skipped,omitempty"`
}

// settled is how long after a container should be gone what is still there is taken for what was asked for, where nothing else can tell.
const settled = time.Minute

// recordOf returns the record of a pod, and whether it has one. One that cannot be read was not written by this controller.
func recordOf(pod *corev1.Pod) (record, bool) {
	value, found := pod.Annotations[Record]
	if !found {
		return record{}, false
	}
	var r record
	err := json.Unmarshal([]byte(value), &r)
	return r, err == nil
}

// nextRecord returns the record for an update of pod that changes images, by the names of containers, at now.
func nextRecord(pod *corev1.Pod, images map[string]string, now time.Time) record {
	// Without a record, or with one that cannot be read, the update counts as the pod's first.
	before, _ := recordOf(pod)
	_, proved := proofOf(pod)
	next := record{At: metav1.NewTime(now).Rfc3339Copy(), Generation: before.Generation, Containers: map[string]instance{}}
	if len(images) > 0 && pod.Generation > 0 {
		next.Generation = pod.Generation + 1
	}
	for _, container := range pod.Spec.Containers {
		earlier, recorded := before.Containers[container.Name]
		restarted, _ := before.restarted(pod, container.Name, earlier, now)
		open := recorded && !proved && !restarted
		image, changes := images[container.Name]
		switch {
		case changes:
			next.Containers[container.Name] = instanceOf(pod, container, earlier, open, image)
		case open:
			next.Containers[container.Name] = earlier
		}
	}
	return next
}

// instanceOf returns what the container is before it gets the image. open says that it has not come to what an earlier update asked for.
func instanceOf(pod *corev1.Pod, container corev1.Container, earlier instance, open bool, image string) instance {
	var is instance
	status := statusOf(pod, container.Name)
	if status != nil {
		is.ID, is.Restarts = status.ContainerID, status.RestartCount
	}
	switch {
	case !open:
		is.Image = container.Image
		return is
	case status != nil && status.ContainerID == earlier.ID:
		is.Image = earlier.Image
	}
	skipped := append(slices.Clone(earlier.Skipped), container.Image)
	is.Maybe = is.Image == "" && slices.Contains(skipped, image)
	is.Skipped = slices.DeleteFunc(skipped, func(skipped string) bool { return skipped == image })
	return is
}

func statusOf(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == container {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// done reports whether the update has taken effect, and since when the pod can be Ready at the earliest. What was seen to be done stays so, whatever becomes
// of the containers. Where only time will tell, lapse is when.
func (r record) done(pod *corev1.Pod, now time.Time) (done bool, since metav1.Time, lapse time.Time) {
	if since, proved := proofOf(pod); proved {
		return true, since, time.Time{}
	}
	done = true
	for container, before := range r.Containers {
		restarted, at := r.restarted(pod, container, before, now)
		done = done && restarted
		if at.After(lapse) {
			lapse = at
		}
		if status := statusOf(pod, container); restarted && since.Before(&status.State.Running.StartedAt) {
			since = status.State.Running.StartedAt
		}
	}
	if !done {
		since = r.At
	}
	return done, since, lapse
}

// restarted reports whether the container runs what the update asked for. Neither its image nor its imageID proves it: a runtime may give either another
// name. What does is that it is another instance than before, reported by a kubelet that has seen the update. Where instances of images that were
// asked for in between cannot be told from the one that is wanted, it is believed once lapse has passed.
func (r record) restarted(pod *corev1.Pod, container string, before instance, now time.Time) (restarted bool, lapse time.Time) {
	status := statusOf(pod, container)
	observed := pod.Status.ObservedGeneration
	switch {
	case status == nil || status.State.Running == nil:
		return false, time.Time{}
	case observed > 0 && observed < r.Generation:
		return false, time.Time{}
	case status.ContainerID == before.ID && status.RestartCount <= before.Restarts:
		// It has not been restarted, and need not be if it runs the image already: an update was taken back before the kubelet came to it.
		switch runs := before.Image == imageOf(pod, container); {
		case !runs && !before.Maybe:
			return false, time.Time{}
		case runs && observed > 0:
			return true, time.Time{}
		}
		lapse = r.At.Add(graceOf(pod) + settled)
	case slices.ContainsFunc(before.Skipped, func(skipped string) bool { return sameImage(skipped, status.Image) }) &&
		int(status.RestartCount) <= int(before.Restarts)+len(before.Skipped):
		lapse = status.State.Running.StartedAt.Add(graceOf(pod) + settled)
	}
	return !lapse.After(now), lapse
}

func imageOf(pod *corev1.Pod, container string) string {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == container {
			return pod.Spec.Containers[i].Image
		}
	}
	return ""
}

// graceOf is how long a container of the pod may take to end.
func graceOf(pod *corev1.Pod) time.Duration {
	if pod.Spec.TerminationGracePeriodSeconds == nil {
		return corev1.DefaultTerminationGracePeriodSeconds * time.Second
	}
	return time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
}

// sameImage compares names of images by what they mean: runtimes spell out what a name leaves to be understood.
func sameImage(a, b string) bool {
	if a == b {
		return true
	}
	first, err := name.ParseReference(a)
	if err != nil {
		return false
	}
	second, err := name.ParseReference(b)
	return err == nil && first.Name() == second.Name()
}
