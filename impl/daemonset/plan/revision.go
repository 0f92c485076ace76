package plan

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/dump"
	"k8s.io/utils/lru"
)

// TemplateHash returns the hash that names the revision of template. It is the one that kube-controller-manager
// computes, so that either controller recognises the pods of the other and a hand-over restarts none.
func TemplateHash(template *corev1.PodTemplateSpec, collisionCount *int32) string {
	h := fnv.New32a()
	fmt.Fprint(h, dump.ForHash(*template))
	if collisionCount != nil {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(uint32(*collisionCount))))
	}
	return rand.SafeEncodeString(fmt.Sprint(h.Sum32()))
}

// RevisionName returns the name that a ControllerRevision created now for the template of ds would get (HISTORY-002).
func RevisionName(ds *appsv1.DaemonSet) string {
	return revisionPrefix(ds) + TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount)
}

// longestPrefix leaves a hash and more of the 253 characters that a name may have, as Kubernetes does for StatefulSets. For DaemonSets it cuts nothing.
const longestPrefix = 223

// revisionPrefix is what the names of all ControllerRevisions of ds begin with; the hash comes after it.
func revisionPrefix(ds *appsv1.DaemonSet) string {
	// No part of a name begins with a dash.
	return strings.TrimRight(ds.Name[:min(len(ds.Name), longestPrefix)], ".") + "-"
}

// OtherRevisions returns the names of the ControllerRevisions that state lacks and that Plan has to be shown whoever controls them: the one that the DaemonSet's next
// one would get, where its template has none yet, and those of pods whose revision label no revision in state has.
func OtherRevisions(state State) []string {
	shown, labels := sets.New[string](), sets.New[string]()
	for _, revision := range state.Revisions {
		shown.Insert(revision.Name)
		labels.Insert(revision.Labels[HashLabel])
	}
	needed := sets.New[string]()
	if !hasRevision(state) {
		// A hash costs more than all the rest of a pass.
		needed.Insert(RevisionName(state.DaemonSet))
	}
	for _, pod := range state.Pods {
		if hash := pod.Labels[HashLabel]; hash != "" && !labels.Has(hash) {
			needed.Insert(revisionPrefix(state.DaemonSet) + hash)
		}
	}
	return sets.List(needed.Difference(shown))
}

// hasRevision reports whether the DaemonSet controls a revision of its template.
func hasRevision(state State) bool {
	selector, err := metav1.LabelSelectorAsSelector(state.DaemonSet.Spec.Selector)
	return err == nil && slices.ContainsFunc(state.Revisions, func(revision *appsv1.ControllerRevision) bool {
		return relationOf(state.DaemonSet, selector, revision) == owned && holdsTemplate(revision, &state.DaemonSet.Spec.Template)
	})
}

// NewRevision returns the ControllerRevision of the template of ds with the given revision number. Its data is the
// patch that `kubectl rollout undo` applies; it carries the DaemonSet's annotations since `kubectl rollout history`
// looks for the cause of the change there (HISTORY-001).
func NewRevision(ds *appsv1.DaemonSet, number int64) (*appsv1.ControllerRevision, error) {
	data, err := RevisionData(&ds.Spec.Template)
	if err != nil {
		return nil, err
	}
	hash := TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount)
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name:            RevisionName(ds),
			Namespace:       ds.Namespace,
			Labels:          revisionLabels(ds, hash),
			Annotations:     maps.Clone(ds.Annotations),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, ControllerKind(ds))},
		},
		Data:     runtime.RawExtension{Raw: data},
		Revision: number,
	}, nil
}

func revisionLabels(ds *appsv1.DaemonSet, hash string) map[string]string {
	labels := maps.Clone(ds.Spec.Template.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[HashLabel] = hash
	return labels
}

// RevisionData is a strategic merge patch that replaces spec.template. It goes through a generic map because that
// sorts the keys: kube-controller-manager compares the data of revisions byte by byte.
func RevisionData(template *corev1.PodTemplateSpec) ([]byte, error) {
	encoded, err := json.Marshal(template)
	if err != nil {
		return nil, fmt.Errorf("encode the pod template: %w", err)
	}
	var generic map[string]any
	if err := json.Unmarshal(encoded, &generic); err != nil {
		return nil, fmt.Errorf("encode the pod template: %w", err)
	}
	generic["$patch"] = "replace"
	data, err := json.Marshal(map[string]any{"spec": map[string]any{"template": generic}})
	if err != nil {
		return nil, fmt.Errorf("encode the revision: %w", err)
	}
	return data, nil
}

// holdsTemplate reports whether revision is one of template. It compares what the data means, not its bytes, so that
// neither the order of keys nor a field that is null here and absent there makes a new revision and restarts every pod.
// A revision whose data is not readable holds no template.
func holdsTemplate(revision *appsv1.ControllerRevision, template *corev1.PodTemplateSpec) bool {
	stored := StoredTemplate(revision)
	// Most templates differ in an image, which is seen at once, and nearly all others are written the same, which takes a tenth of the time to find out.
	return stored != nil && sameImages(stored, template) && (reflect.DeepEqual(stored, template) || apiequality.Semantic.DeepEqual(stored, template))
}

func sameImages(a, b *corev1.PodTemplateSpec) bool {
	return slices.EqualFunc(a.Spec.Containers, b.Spec.Containers, func(a, b corev1.Container) bool { return a.Image == b.Image })
}

// decoded are templates by the data of the revisions that hold them. Every pass asks for those of all revisions, whose data never changes. They are shared
// by all callers, and not to be changed.
var decoded = lru.New(1000)

// StoredTemplate returns the template that revision holds, or nil: there may be no such revision, or its data is not readable. It is shared, and not to be changed.
func StoredTemplate(revision *appsv1.ControllerRevision) *corev1.PodTemplateSpec {
	if revision == nil {
		return nil
	}
	data := string(revision.Data.Raw)
	if known, found := decoded.Get(data); found {
		return known.(*corev1.PodTemplateSpec)
	}
	template := decodeTemplate(revision)
	decoded.Add(data, template)
	return template
}

func decodeTemplate(revision *appsv1.ControllerRevision) *corev1.PodTemplateSpec {
	var stored struct {
		Spec struct {
			Template *corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(revision.Data.Raw, &stored); err != nil {
		return nil
	}
	return stored.Spec.Template
}

// labelFor is the hash label of a revision that has lost its own: the hash in its name, so that its pods, which still
// carry it, are recognised (HISTORY-013).
func labelFor(ds *appsv1.DaemonSet, revision *appsv1.ControllerRevision) string {
	if hash, found := strings.CutPrefix(revision.Name, revisionPrefix(ds)); found && len(validation.IsValidLabelValue(hash)) == 0 {
		return hash
	}
	if len(validation.IsValidLabelValue(revision.Name)) == 0 {
		return revision.Name
	}
	h := fnv.New32a()
	fmt.Fprint(h, revision.Name)
	return rand.SafeEncodeString(fmt.Sprint(h.Sum32()))
}
