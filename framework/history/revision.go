package history

import (
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// NoRevision is the revision of a pod that no template seen so far could have made.
const NoRevision = -1

// templates are the distinct pod templates that a DaemonSet has had, in the order in which they appeared.
type templates struct {
	seen []*corev1.PodTemplateSpec
	// pieces of each.
	pieces  []pieces
	current int
	byLabel map[string]int
}

// RevisionOf returns which of its DaemonSet's templates, counted from 0 in the order in which they first appeared, the pod was
// made from; NoRevision if none fits or the pod has no recorded DaemonSet.
//
// The pod's content decides (MatchesTemplate). Templates may differ in ways that a pod does not show: only in affinity or tolerations, or by
// having one label less. Among several that fit, the one decides whose revision the pod's revision label names, otherwise the one that was in
// force when the pod appeared. If none fits, admission may have changed the pod: then those fit of which it has all, and nothing of another one's, and of these
// the ones to which least was added. If admission changed what the template says, the label is believed as far as nothing in the pod speaks for another template.
//
// A pod that was adopted and says nothing about its revision has none, whatever it looks like: it counts as old (HISTORY-024). One that was adopted with the
// number of the template in force is of that template (numbered), whatever it looks like.
//
// The state that a pod had while it had a controller keeps its revision when the controller gives it up.
func (c *Cluster) RevisionOf(pod *corev1.Pod) int {
	if metav1.GetControllerOf(pod) == nil {
		return NoRevision
	}
	if c.numbered(pod) {
		return c.CurrentRevision(metav1.GetControllerOf(pod).UID)
	}
	if revision, ok := c.revisionOf[pod.UID]; ok {
		return revision
	}
	return NoRevision
}

// CurrentRevision returns the number, as in RevisionOf, of the DaemonSet's template in force; NoRevision if it is not recorded.
func (c *Cluster) CurrentRevision(daemonSet types.UID) int {
	if templates := c.templates[daemonSet]; templates != nil {
		return templates.current
	}
	return NoRevision
}

// IsUpdated reports whether the pod was made from the template that its DaemonSet has now.
func (c *Cluster) IsUpdated(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && c.RevisionOf(pod) != NoRevision && c.RevisionOf(pod) == c.CurrentRevision(owner.UID)
}

// TemplateIn returns the pod template that a ControllerRevision of a DaemonSet holds.
func TemplateIn(revision *appsv1.ControllerRevision) (*corev1.PodTemplateSpec, error) {
	var data struct {
		Spec struct {
			Template *corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(revision.Data.Raw, &data); err != nil {
		return nil, fmt.Errorf("decode the data of ControllerRevision %s: %w", revision.Name, err)
	}
	if data.Spec.Template == nil {
		return nil, fmt.Errorf("ControllerRevision %s holds no spec.template", revision.Name)
	}
	return data.Spec.Template, nil
}

// decoded is what TemplateIn says of a ControllerRevision.
type decoded struct {
	template *corev1.PodTemplateSpec
	err      error
}

// TemplateIn is the function TemplateIn, which decodes each ControllerRevision that the cluster has once. The template must not be changed.
func (c *Cluster) TemplateIn(revision *appsv1.ControllerRevision) (*corev1.PodTemplateSpec, error) {
	if c.Revisions[revision.UID] != revision {
		return TemplateIn(revision)
	}
	known, found := c.decoded[revision]
	if !found {
		known.template, known.err = TemplateIn(revision)
		c.decoded[revision] = known
	}
	return known.template, known.err
}

// learnTemplate takes note of the DaemonSet's template and reports whether it is another than before.
func (c *Cluster) learnTemplate(daemonSet *appsv1.DaemonSet) bool {
	if !learn(c.templates, daemonSet.UID, &daemonSet.Spec.Template) {
		return false
	}
	c.attributeAgain(daemonSet.UID, false)
	return true
}

// learn takes note of the template that a workload has now and reports whether it is another than before.
func learn(all map[types.UID]*templates, workload types.UID, template *corev1.PodTemplateSpec) bool {
	known := all[workload]
	if known == nil {
		known = &templates{current: NoRevision, byLabel: map[string]int{}}
		all[workload] = known
	}
	index := known.find(template)
	if index == known.current && index != NoRevision {
		return false
	}
	if index == NoRevision {
		known.seen, known.pieces = append(known.seen, template), append(known.pieces, piecesOf(&template.Spec))
		index = len(known.seen) - 1
	}
	known.current = index
	return true
}

// learnLabel takes note of which template a revision label's value stands for.
func (c *Cluster) learnLabel(revision *appsv1.ControllerRevision) {
	owner := metav1.GetControllerOf(revision)
	label := revision.Labels[c.revisionLabel]
	if owner == nil || label == "" || c.templates[owner.UID] == nil {
		return
	}
	known := c.templates[owner.UID]
	if _, ok := known.byLabel[label]; ok {
		return
	}
	template, err := c.TemplateIn(revision)
	if err != nil {
		// Another format of data: the label then breaks no ties.
		return
	}
	if index := known.find(template); index != NoRevision {
		known.byLabel[label] = index
	}
	c.attributeAgain(owner.UID, c.trusting)
}

// attributeAgain works out the revisions of the DaemonSet's pods anew: of all, or of those that have none.
func (c *Cluster) attributeAgain(daemonSet types.UID, all bool) {
	for _, pods := range c.podsOf[daemonSet] {
		for _, pod := range pods {
			if all || c.RevisionOf(pod) == NoRevision {
				c.attribute(pod)
			}
		}
	}
}

// named returns the revision that the pod's label names: NoRevision if that is one of a template which the DaemonSet has not had since the history began. It
// reports whether there is such a ControllerRevision at all.
func (c *Cluster) named(known *templates, pod *corev1.Pod) (revision int, named bool) {
	label := pod.Labels[c.revisionLabel]
	if label == "" {
		return NoRevision, false
	}
	if revision, named = known.byLabel[label]; named {
		return revision, true
	}
	for _, object := range c.Revisions {
		if object.Labels[c.revisionLabel] != label || metav1.GetControllerOf(object) == nil || metav1.GetControllerOf(object).UID != metav1.GetControllerOf(pod).UID {
			continue
		}
		template, err := c.TemplateIn(object)
		if err != nil {
			return NoRevision, false
		}
		if index := known.find(template); index != NoRevision {
			known.byLabel[label] = index
			return index, true
		}
		return NoRevision, true
	}
	return NoRevision, false
}

// attribute works out the pod's revision. A pod keeps the one it has until its content says another.
func (c *Cluster) attribute(pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	if c.templates[owner.UID] == nil {
		delete(c.revisionOf, pod.UID)
		return
	}
	if c.uncontrolled[pod.UID] && c.unmarked(pod) {
		c.revisionOf[pod.UID] = NoRevision
		return
	}
	known := c.templates[owner.UID]
	if c.trusting {
		if revision, named := c.named(known, pod); named {
			c.revisionOf[pod.UID] = revision
			return
		}
	}
	if c.uncontrolled[pod.UID] && c.ofUnknown(known, pod) {
		c.revisionOf[pod.UID] = NoRevision
		return
	}
	before, attributed := c.revisionOf[pod.UID]
	attributed = attributed && before != NoRevision && before < len(known.seen)
	relabelled := attributed && known.relabelled(pod, before, pod.Labels[c.revisionLabel])
	if attributed && MatchesTemplate(pod, known.seen[before]) && !relabelled {
		return
	}
	if attributed && !relabelled && len(known.exact(pod)) == 0 && known.hasImages(pod, before) {
		// Something else than the template changed in the pod, for example its resources were resized, or admission had added to it before.
		return
	}
	if is := c.content(known, pod); is != NoRevision || !attributed {
		c.revisionOf[pod.UID] = is
	}
}

// ofUnknown reports whether the pod's label names a template that the DaemonSet has not had, by a history of whomever. Whoever adopts the pod goes by that, although
// it may differ from one that the DaemonSet had in nothing that a pod shows.
func (c *Cluster) ofUnknown(known *templates, pod *corev1.Pod) bool {
	label := pod.Labels[c.revisionLabel]
	if _, found := known.byLabel[label]; label == "" || found {
		return false
	}
	unknown := false
	for _, object := range c.Revisions {
		if object.Namespace != pod.Namespace || object.Labels[c.revisionLabel] != label {
			continue
		}
		template, err := c.TemplateIn(object)
		if err != nil {
			continue
		}
		if known.find(template) != NoRevision {
			return false
		}
		unknown = true
	}
	return unknown
}

// relabelled reports whether the pod's label names another template than the one before, which fits as well: one that differs in what no pod shows.
func (t *templates) relabelled(pod *corev1.Pod, before int, label string) bool {
	named, known := t.byLabel[label]
	if !known || named == before {
		return false
	}
	if MatchesTemplate(pod, t.seen[named]) {
		return true
	}
	fitting := t.injected(pod)
	return slices.Contains(fitting, named) && slices.Contains(fitting, before)
}

// unmarked reports whether the pod carries neither of the labels by which an implementation knows its revision.
func (c *Cluster) unmarked(pod *corev1.Pod) bool {
	return c.revisionLabel != "" && pod.Labels[c.revisionLabel] == "" && pod.Labels[TemplateGenerationLabel] == ""
}

// numbered reports whether the pod was adopted, has the number of its DaemonSet's template in force, and has no revision label that a history there is has, so that
// nothing but the number says of which template it is (HISTORY-022). The numbers begin anew with each DaemonSet: what one left behind may have the
// number of the next one's template by chance. Whoever creates a pod is not believed by its number.
func (c *Cluster) numbered(pod *corev1.Pod) bool {
	owner := c.OwnerOf(pod)
	if owner == nil || !c.uncontrolled[pod.UID] {
		return false
	}
	number := owner.Annotations[appsv1.DeprecatedTemplateGeneration]
	return number != "" && pod.Labels[TemplateGenerationLabel] == number && !c.hasHistory(pod.Namespace, pod.Labels[c.revisionLabel])
}

// hasHistory reports whether a ControllerRevision of the namespace, whoever controls it, has the revision label's value.
func (c *Cluster) hasHistory(namespace, label string) bool {
	if label == "" {
		return false
	}
	for _, object := range c.Revisions {
		if object.Namespace == namespace && object.Labels[c.revisionLabel] == label {
			return true
		}
	}
	return false
}

// TemplateGenerationLabel is the label of pods with the number of the template that they were made of (API-021).
const TemplateGenerationLabel = extensionsv1beta1.DaemonSetTemplateGenerationKey

// sameGeneration reports whether the DaemonSet's spec is surely the one before: the API server counts its changes. Most changes are of the status.
func sameGeneration(before, after *appsv1.DaemonSet) bool {
	return before != nil && after.Generation != 0 && before.Generation == after.Generation
}

// labelled returns the template that the pod's revision label stands for, by the DaemonSet's histories or, without one, by whosesoever history has that label: an
// implementation may go by one of the same content that is not its own. It is NoRevision if that is not known.
func (c *Cluster) labelled(known *templates, pod *corev1.Pod) int {
	label := pod.Labels[c.revisionLabel]
	if label == "" {
		return NoRevision
	}
	if revision, found := known.byLabel[label]; found {
		return revision
	}
	found := NoRevision
	for _, object := range c.Revisions {
		if object.Namespace != pod.Namespace || object.Labels[c.revisionLabel] != label {
			continue
		}
		if template, err := c.TemplateIn(object); err == nil {
			found = max(found, known.find(template))
		}
	}
	return found
}

func (t *templates) choose(fitting []int, labelled int) int {
	choice := fitting[len(fitting)-1]
	for _, index := range fitting {
		if index == labelled {
			return index
		}
		if index == t.current {
			choice = index
		}
	}
	return choice
}

func (t *templates) find(template *corev1.PodTemplateSpec) int {
	for index, seen := range t.seen {
		if SameTemplate(seen, template) {
			return index
		}
	}
	return NoRevision
}
