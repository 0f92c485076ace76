package history

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// LacksOfTemplate returns the path of the first part of the template, such as spec.volumes[1], that the pod does not have as it is written there; empty if it has
// all of it. A pod may have more: what the API server, admission and the controller add to lists and maps. What places the pod on its node is the controller's
// to replace, and left out: see placing. So are images and resources, which admission may change and by which pods are told to be of the template, and volumes where
// the pod has none: older recordings have none of any pod.
func LacksOfTemplate(pod *corev1.Pod, template *corev1.PodTemplateSpec) string {
	wanted, got := template.DeepCopy(), pod
	placing(&wanted.Spec)
	for container := range containersOf(&wanted.Spec) {
		container.Image, container.ImagePullPolicy, container.Resources = "", "", corev1.ResourceRequirements{}
		if len(got.Spec.Volumes) == 0 {
			container.VolumeMounts = nil
		}
	}
	if len(got.Spec.Volumes) == 0 {
		wanted.Spec.Volumes = nil
	}
	for _, part := range []struct {
		path        string
		wanted, got any
	}{
		{"metadata.labels", wanted.Labels, got.Labels}, {"metadata.annotations", wanted.Annotations, got.Annotations}, {"spec", &wanted.Spec, &got.Spec},
	} {
		if path := lacks(part.path, plain(part.wanted), plain(part.got)); path != "" {
			return path
		}
	}
	return ""
}

// placing leaves out of a template what says where its pods run, and tolerations of the taints that stand for a node's condition: daemon pods have those of their own.
func placing(spec *corev1.PodSpec) {
	spec.NodeName, spec.NodeSelector, spec.SchedulerName = "", nil, ""
	if spec.Affinity != nil {
		spec.Affinity.NodeAffinity = nil
	}
	spec.Tolerations = slices.DeleteFunc(spec.Tolerations, func(t corev1.Toleration) bool {
		return t.Key == "" || strings.HasPrefix(t.Key, "node.kubernetes.io/")
	})
}

// containersOf are all containers of a pod, to be changed.
func containersOf(spec *corev1.PodSpec) iter.Seq[*corev1.Container] {
	return func(yield func(*corev1.Container) bool) {
		for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
			for i := range containers {
				if !yield(&containers[i]) {
					return
				}
			}
		}
	}
}

// plain is the object as the maps, lists and values of its JSON form.
func plain(object any) any {
	if labels, is := object.(map[string]string); is {
		values := map[string]any{}
		for key, value := range labels {
			values[key] = value
		}
		return values
	}
	converted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err) // a pod's spec can always be converted
	}
	return converted
}

// lacks returns the path of the first value below path that is not in got.
func lacks(path string, wanted, got any) string {
	switch wanted := wanted.(type) {
	case nil:
		return ""
	case map[string]any:
		has, isMap := got.(map[string]any)
		if !isMap {
			has = nil
		}
		for _, key := range slices.Sorted(maps.Keys(wanted)) {
			if at := lacks(path+"."+key, wanted[key], has[key]); at != "" {
				return at
			}
		}
		return ""
	case []any:
		return lacksOfList(path, wanted, got)
	}
	if reflect.DeepEqual(wanted, got) {
		return ""
	}
	return path
}

// lacksOfList is lacks for a list: of objects each has to be among those that there are, in any order; of values the list has to be the same.
func lacksOfList(path string, wanted []any, got any) string {
	has, _ := got.([]any)
	for i, element := range wanted {
		at := fmt.Sprintf("%s[%d]", path, i)
		object, isObject := element.(map[string]any)
		if !isObject {
			if !reflect.DeepEqual(wanted, has) {
				return path
			}
			return ""
		}
		if slices.ContainsFunc(has, func(other any) bool { return lacks(at, object, other) == "" }) {
			continue
		}
		if same := slices.IndexFunc(has, func(other any) bool { return object["name"] != nil && named(other) == object["name"] }); same >= 0 {
			return lacks(at, object, has[same])
		}
		return at
	}
	return ""
}

// named is the name of an object of a list, such as a container; nil if it has none.
func named(object any) any {
	fields, _ := object.(map[string]any)
	return fields["name"]
}
