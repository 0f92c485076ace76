package history

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Admission changes pods: a service mesh adds containers, a webhook adds environment, a LimitRange adds resources, a mirror registry takes the place of the
// one that an image names. Such a pod is of the template all of which it has. What it has beyond that must be of no other template of its workload: who makes
// pods of two templates at once made them of none.

// pieces are what containers consist of as far as it makes revisions, by what it is: "container/daemon/env/PORT".
type pieces map[string]string

// The ends of pieces that are compared in other ways than the rest.
const (
	imagePiece    = "/image"
	resourcePiece = "/resources/"
)

func piecesOf(spec *corev1.PodSpec) pieces {
	all := pieces{}
	for kind, containers := range map[string][]corev1.Container{"init/": spec.InitContainers, "container/": spec.Containers} {
		for i := range containers {
			all.add(kind+containers[i].Name, &containers[i], spec.HostNetwork)
		}
	}
	return all
}

func (p pieces) add(name string, c *corev1.Container, hostNetwork bool) {
	p[name+imagePiece] = c.Image
	if len(c.Command) > 0 {
		p[name+"/command"] = encoded(c.Command)
	}
	if len(c.Args) > 0 {
		p[name+"/args"] = encoded(c.Args)
	}
	for _, variable := range c.Env {
		p[name+"/env/"+variable.Name] = encoded(variable)
	}
	for _, port := range c.Ports {
		port = withDefaults(port, hostNetwork)
		p[name+"/port/"+string(port.Protocol)+strconv.Itoa(int(port.ContainerPort))] = encoded(port)
	}
	for kind, list := range map[string]corev1.ResourceList{"requests/": c.Resources.Requests, "limits/": c.Resources.Limits} {
		for resource, quantity := range list {
			p[name+resourcePiece+kind+string(resource)] = strconv.FormatFloat(quantity.AsApproximateFloat64(), 'g', -1, 64)
		}
	}
	if len(c.Resources.Claims) > 0 {
		p[name+"/claims"] = encoded(c.Resources.Claims)
	}
}

func encoded(value any) string {
	// What the API server sent can be encoded.
	text, _ := json.Marshal(value)
	return string(text)
}

// sameImage reports whether the image of a pod can be the template's, from another registry perhaps, or named by its digest. The same word for word is no doubt.
func sameImage(pod, template string) bool {
	name, tag, digest := imageParts(pod)
	wantedName, wantedTag, wantedDigest := imageParts(template)
	switch {
	case pod == template:
		return true
	case name != wantedName:
		return false
	case wantedDigest != "":
		return digest == wantedDigest
	case digest != "" && tag == "":
		return true
	}
	return latest(tag) == latest(wantedTag)
}

// HasImage reports whether the container of that name has the image, from whichever registry.
func HasImage(pod *corev1.Pod, container, image string) bool {
	is, found := imageOf(pod, container)
	return found && sameImage(is, image)
}

func latest(tag string) string {
	if tag == "" {
		return "latest"
	}
	return tag
}

func imageParts(image string) (name, tag, digest string) {
	image, digest, _ = strings.Cut(image, "@")
	image = image[strings.LastIndexByte(image, '/')+1:]
	name, tag, _ = strings.Cut(image, ":")
	return name, tag, digest
}

// resembles reports whether the pod has the template's labels and annotations, and all of its containers, in their order, with its images.
func resembles(pod *corev1.Pod, has pieces, template *corev1.PodTemplateSpec, wanted pieces) bool {
	for piece, image := range wanted {
		is, found := has[piece]
		if strings.HasSuffix(piece, imagePiece) && (!found || !sameImage(is, image)) {
			return false
		}
	}
	return hasLabels(pod, template) && contains(pod.Annotations, template.Annotations) && pod.Spec.HostNetwork == template.Spec.HostNetwork &&
		inOrder(pod.Spec.InitContainers, template.Spec.InitContainers) && inOrder(pod.Spec.Containers, template.Spec.Containers)
}

// inOrder reports whether the containers come in the order of the template's, others aside.
func inOrder(containers, wanted []corev1.Container) bool {
	for _, container := range containers {
		if len(wanted) > 0 && container.Name == wanted[0].Name {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}

// injected returns those of the DaemonSet's templates that the pod may have been made from, if admission added something to it: of several the ones to which
// it added least.
func (t *templates) injected(pod *corev1.Pod) []int {
	var fitting []int
	least := 0
	has := piecesOf(&pod.Spec)
	for index, template := range t.seen {
		if !resembles(pod, has, template, t.pieces[index]) {
			continue
		}
		added, ok := t.added(has, index)
		switch {
		case !ok || len(fitting) > 0 && added > least:
		case len(fitting) > 0 && added == least:
			fitting = append(fitting, index)
		default:
			fitting, least = []int{index}, added
		}
	}
	return fitting
}

// added counts what of the pieces is not the template's, other images and amounts of resources included: an autoscaler sets these. It reports whether they have all of the template, and none of another one's.
func (t *templates) added(has pieces, index int) (count int, ok bool) {
	wanted := t.pieces[index]
	for piece, value := range wanted {
		is, found := has[piece]
		if !found || is != value && !strings.HasSuffix(piece, imagePiece) && !strings.Contains(piece, resourcePiece) {
			return 0, false
		}
	}
	for piece, value := range has {
		if is, found := wanted[piece]; found && is == value {
			continue
		}
		if t.elsewhere(piece, value) {
			return 0, false
		}
		count++
	}
	return count, true
}

// elsewhere reports whether another template has the piece. What pods ask for is left out: a LimitRange may ask for what an older template did.
func (t *templates) elsewhere(piece, value string) bool {
	if strings.Contains(piece, resourcePiece) {
		return false
	}
	return slices.ContainsFunc(t.pieces, func(other pieces) bool {
		is, found := other[piece]
		return found && is == value
	})
}

// hasImages reports whether the pod has the images of the template.
func (t *templates) hasImages(pod *corev1.Pod, index int) bool {
	has := piecesOf(&pod.Spec)
	for piece, image := range t.pieces[index] {
		if strings.HasSuffix(piece, imagePiece) && !sameImage(has[piece], image) {
			return false
		}
	}
	return true
}

// changed reports whether the pod is of the template that its label names, and admission changed it: it has all that the template has, some of it with values
// that no template has. Whatever runs a command by another does so.
func (t *templates) changed(pod *corev1.Pod, labelled int) bool {
	if labelled == NoRevision {
		return false
	}
	has, wanted := piecesOf(&pod.Spec), t.pieces[labelled]
	if !resembles(pod, has, t.seen[labelled], wanted) {
		return false
	}
	for piece := range wanted {
		if _, found := has[piece]; !found {
			return false
		}
	}
	for piece, value := range has {
		if wanted[piece] != value && t.elsewhere(piece, value) {
			return false
		}
	}
	return true
}

// byContent returns which of the templates the pod was made from, by its content, and by the template that its label stands for where content does not tell.
func (t *templates) byContent(pod *corev1.Pod, labelled int) int {
	fitting := t.exact(pod)
	if len(fitting) == 0 {
		fitting = t.injected(pod)
	}
	switch {
	case len(fitting) > 0:
		return t.choose(fitting, labelled)
	case t.changed(pod, labelled):
		return labelled
	}
	return NoRevision
}

// exact returns the templates that the pod matches.
func (t *templates) exact(pod *corev1.Pod) []int {
	var fitting []int
	for index, template := range t.seen {
		if MatchesTemplate(pod, template) {
			fitting = append(fitting, index)
		}
	}
	return fitting
}

// Matches reports whether the pod was made from the template, which is one of a DaemonSet or StatefulSet, though admission may have added to it:
// then it must not be nearer to another template of the same workload.
func (c *Cluster) Matches(pod *corev1.Pod, template *corev1.PodTemplateSpec) bool {
	if MatchesTemplate(pod, template) {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return false
	}
	known := cmp.Or(c.templates[owner.UID], c.setTemplates[owner.UID])
	if known == nil || len(known.exact(pod)) > 0 {
		return false
	}
	is := c.content(known, pod)
	return is != NoRevision && is == known.find(template)
}
