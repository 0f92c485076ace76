package kind

import (
	"errors"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"
)

const controllersFlag = "--controllers="

// parseManifest reads the manifest of a static pod.
func parseManifest(text string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	if err := yaml.UnmarshalStrict([]byte(text), pod); err != nil {
		return nil, err
	}
	if len(pod.Spec.Containers) != 1 {
		return nil, errors.New("it is no pod with one container")
	}
	return pod, nil
}

// editManifest returns the changed manifest, which is the same text if there is nothing to change, and what it says.
func editManifest(text string, change func(*corev1.Pod)) (string, *corev1.Pod, error) {
	pod, err := parseManifest(text)
	if err != nil {
		return "", nil, err
	}
	before := pod.DeepCopy()
	change(pod)
	if equality.Semantic.DeepEqual(before, pod) {
		return text, pod, nil
	}
	edited, err := yaml.Marshal(pod)
	return string(edited), pod, err
}

// withoutControllers has kube-controller-manager run all controllers but these.
func withoutControllers(pod *corev1.Pod, controllers []string) {
	command := &pod.Spec.Containers[0].Command
	isFlag := func(arg string) bool { return strings.HasPrefix(arg, controllersFlag) }
	enabled := []string{"*"}
	at := slices.IndexFunc(*command, isFlag)
	if at < 0 {
		at = len(*command)
		*command = append(*command, "")
	} else {
		enabled = slices.DeleteFunc(strings.Split(strings.TrimPrefix((*command)[at], controllersFlag), ","), func(name string) bool {
			return strings.HasPrefix(name, "-")
		})
	}
	disabled := slices.Sorted(slices.Values(controllers))
	for _, name := range slices.Compact(disabled) {
		enabled = append(enabled, "-"+name)
	}
	(*command)[at] = controllersFlag + strings.Join(enabled, ",")
}

// promptStart has kubelet look every second whether the process has started, for as long as it would have otherwise.
func promptStart(pod *corev1.Pod) {
	probe := pod.Spec.Containers[0].StartupProbe
	if probe == nil || probe.PeriodSeconds <= 1 {
		return
	}
	probe.FailureThreshold = probe.InitialDelaySeconds + probe.FailureThreshold*probe.PeriodSeconds
	probe.InitialDelaySeconds, probe.PeriodSeconds = 0, 1
}
