package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// RevisionLabel is the label of a pod with the name of its revision's ControllerRevision.
const RevisionLabel = appsv1.ControllerRevisionHashLabelKey

// first is the ordinal of the first pod.
func first(set *appsv1.StatefulSet) int {
	if set.Spec.Ordinals == nil {
		return 0
	}
	return int(set.Spec.Ordinals.Start)
}

// replicas is how many pods the StatefulSet asks for; the API's default is one.
func replicas(set *appsv1.StatefulSet) int {
	if set.Spec.Replicas == nil {
		return 1
	}
	return int(*set.Spec.Replicas)
}

func podName(set *appsv1.StatefulSet, ordinal int) string {
	return set.Name + "-" + strconv.Itoa(ordinal)
}

// ordinal is that of the pod; -1 if its name has none.
func ordinal(set *appsv1.StatefulSet, pod *corev1.Pod) int {
	suffix, found := strings.CutPrefix(pod.Name, set.Name+"-")
	if number, err := strconv.Atoi(suffix); found && err == nil && strconv.Itoa(number) == suffix {
		return number
	}
	return -1
}

// arrange sorts the pods into those that the StatefulSet asks for and the others.
func (p *pass) arrange(pods []*corev1.Pod) {
	p.members = make([]*corev1.Pod, replicas(p.set))
	for _, pod := range pods {
		pod = p.believe(pod)
		if index := ordinal(p.set, pod) - first(p.set); index >= 0 && index < len(p.members) {
			p.members[index] = pod
		} else {
			p.condemned = append(p.condemned, pod)
		}
	}
	slices.SortFunc(p.condemned, func(a, b *corev1.Pod) int {
		return cmp.Or(-cmp.Compare(ordinal(p.set, a), ordinal(p.set, b)), cmp.Compare(a.Name, b.Name))
	})
}

// create plans the member at the index, and its claims. Below the partition it is of the revision that was in force before.
func (p *pass) create(index int) {
	revision, template := p.history.update.Name, &p.set.Spec.Template
	if p.set.Spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && index < p.partition() {
		if stored := daemons.StoredTemplate(p.history.byName[p.history.current]); stored != nil {
			revision, template = p.history.current, stored
		}
	}
	pod, claims := newPod(p.set, template, revision, first(p.set)+index)
	p.actions.CreatePods = append(p.actions.CreatePods, pod)
	p.actions.CreateClaims = append(p.actions.CreateClaims, claims...)
}

// newPod returns the pod with that ordinal, and the claims that it mounts.
func newPod(set *appsv1.StatefulSet, from *corev1.PodTemplateSpec, revision string, ordinal int) (*corev1.Pod, []*corev1.PersistentVolumeClaim) {
	template := from.DeepCopy()
	name := podName(set, ordinal)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: set.Namespace, Labels: template.Labels, Annotations: template.Annotations, Finalizers: template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, Kind())},
		},
		Spec: template.Spec,
	}
	metav1.SetMetaDataLabel(&pod.ObjectMeta, RevisionLabel, revision)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, appsv1.StatefulSetPodNameLabel, name)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, appsv1.PodIndexLabel, strconv.Itoa(ordinal))
	pod.Spec.Hostname, pod.Spec.Subdomain = name, set.Spec.ServiceName
	var claims []*corev1.PersistentVolumeClaim
	for i := range set.Spec.VolumeClaimTemplates {
		claim := newClaim(set, &set.Spec.VolumeClaimTemplates[i], name)
		claims = append(claims, claim)
		mounted := set.Spec.VolumeClaimTemplates[i].Name
		pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool { return volume.Name == mounted })
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: mounted, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
		}})
	}
	return pod, claims
}

// newClaim returns the claim of the template for the pod of that name. It outlives the pod, and is never changed.
func newClaim(set *appsv1.StatefulSet, template *corev1.PersistentVolumeClaim, pod string) *corev1.PersistentVolumeClaim {
	claim := template.DeepCopy()
	claim.Name, claim.Namespace = fmt.Sprintf("%s-%s", template.Name, pod), set.Namespace
	if claim.Labels == nil {
		claim.Labels = map[string]string{}
	}
	if set.Spec.Selector != nil {
		maps.Copy(claim.Labels, set.Spec.Selector.MatchLabels)
	}
	claim.Status = corev1.PersistentVolumeClaimStatus{}
	return claim
}
