package history_test

import (
	"maps"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// admission changes a copy of a pod's spec.
func admission(change func(*corev1.PodSpec)) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec = *pod.Spec.DeepCopy()
		change(&pod.Spec)
	}
}

func first(change func(*corev1.Container)) func(*corev1.PodSpec) {
	return func(spec *corev1.PodSpec) { change(&spec.Containers[0]) }
}

func image(of string) func(*corev1.PodSpec) {
	return first(func(c *corev1.Container) { c.Image = of })
}

func mesh(spec *corev1.PodSpec) {
	spec.InitContainers = append(spec.InitContainers, corev1.Container{Name: "redirect", Image: "mesh:v1"})
	spec.Containers = slices.Insert(spec.Containers, 0, corev1.Container{Name: "proxy", Image: "mesh:v1"})
}

func cpu(value string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(value)}}
}

func template(change func(*corev1.PodSpec)) historytest.Option {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec = *ds.Spec.Template.Spec.DeepCopy()
		change(&ds.Spec.Template.Spec)
	}
}

// TestAdmissionLeavesPodsOfTheirTemplate has a pod created from the template in force, the second, with what admission adds or changes. A pod of the first, with the
// same, stays one of the first.
func TestAdmissionLeavesPodsOfTheirTemplate(t *testing.T) {
	debug := corev1.EnvVar{Name: "DEBUG", Value: "1"}
	for name, row := range map[string]struct {
		// before is what the first template has and the second has not, beside its image, which the second one shares if sameImage.
		before    func(*corev1.PodSpec)
		sameImage bool
		admission func(*corev1.PodSpec)
	}{
		"a container at the end": {admission: func(spec *corev1.PodSpec) {
			spec.Containers = append(spec.Containers, corev1.Container{Name: "agent", Image: "a"})
		}},
		"containers before others":   {admission: mesh},
		"an environment":             {admission: first(func(c *corev1.Container) { c.Env = append(c.Env, corev1.EnvVar{Name: "MESH", Value: "on"}) })},
		"a port":                     {admission: first(func(c *corev1.Container) { c.Ports = append(c.Ports, corev1.ContainerPort{ContainerPort: 15090}) })},
		"the resources of a limit":   {admission: first(func(c *corev1.Container) { c.Resources = cpu("100m") })},
		"a command":                  {admission: first(func(c *corev1.Container) { c.Command = []string{"/vault/env"} })},
		"where an image is a digest": {admission: first(func(c *corev1.Container) { c.Image += "@sha256:abc" })},
		"another registry": {admission: first(func(c *corev1.Container) {
			c.Image = "mirror.example:5000/proxy/" + c.Image[len("registry.example/"):]
		})},
		"where the second template has a container less": {
			before: func(spec *corev1.PodSpec) {
				spec.Containers = append(spec.Containers, corev1.Container{Name: "helper", Image: "h"})
			},
			sameImage: true, admission: mesh,
		},
		"where the second template has less environment": {
			before: first(func(c *corev1.Container) { c.Env = []corev1.EnvVar{debug} }), sameImage: true, admission: mesh,
		},
		"resources that the first template had": {
			before: first(func(c *corev1.Container) { c.Resources = cpu("100m") }), admission: first(func(c *corev1.Container) { c.Resources = cpu("0.1") }),
		},
		"other resources than the template's": {
			before:    first(func(c *corev1.Container) { c.Resources = cpu("1") }),
			admission: first(func(c *corev1.Container) { c.Resources = cpu("2") }),
		},
		"other resources than the template's, where nothing else differs": {
			before: first(func(c *corev1.Container) { c.Resources = cpu("1") }), sameImage: true,
			admission: first(func(c *corev1.Container) { c.Resources = cpu("2") }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(2)
			ds := b.DaemonSet("agent")
			plain := ds.Object().Spec.Template.Spec
			if row.before != nil {
				ds.Set(template(row.before))
			}
			ds.Revision("v1", 1)
			before := ds.PodOf("v1", "old", "node-1", admission(row.admission))
			ds.Set(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec = *plain.DeepCopy() })
			if !row.sameImage {
				ds.Update("v2")
			}
			after := ds.PodOf(ds.VersionInForce(), "updated", "node-2", admission(row.admission), func(pod *corev1.Pod) { pod.Labels[historytest.RevisionLabel] = "v2" })
			cluster := end(b)
			if cluster.IsUpdated(before.Object()) || cluster.RevisionOf(before.Object()) == history.NoRevision {
				t.Errorf("the pod of the first template is of revision %d", cluster.RevisionOf(before.Object()))
			}
			if !cluster.IsUpdated(after.Object()) {
				t.Errorf("the pod of the second template is of revision %d", cluster.RevisionOf(after.Object()))
			}
			now := ds.Object().Spec.Template
			if cluster.Matches(before.Object(), &now) || !cluster.Matches(after.Object(), &now) {
				t.Error("they match other templates than they were made from")
			}
		})
	}
}

// TestAdmissionExcusesNoOtherContent has a pod created that carries the label of the template in force, the second, and is not made from it.
func TestAdmissionExcusesNoOtherContent(t *testing.T) {
	env := func(values ...string) func(*corev1.PodSpec) {
		return first(func(c *corev1.Container) {
			c.Env = nil
			for _, value := range values {
				c.Env = append(c.Env, corev1.EnvVar{Name: value, Value: "on"})
			}
		})
	}
	for name, content := range map[string]func(*corev1.PodSpec){
		"it is made from the first": func(spec *corev1.PodSpec) { image("registry.example/agent:v1")(spec); env("OLD", "BOTH")(spec) },
		"it is made from the first, and has something added": func(spec *corev1.PodSpec) {
			image("registry.example/agent:v1")(spec)
			env("OLD", "BOTH")(spec)
			mesh(spec)
		},
		"the image is the first one's":                   func(spec *corev1.PodSpec) { image("registry.example/agent:v1")(spec); mesh(spec) },
		"the image is from a mirror and the first one's": func(spec *corev1.PodSpec) { image("mirror.example/agent:v1")(spec) },
		"the image is none of theirs":                    image("registry.example/other:v2"),
		"it has what is left of the first":               func(spec *corev1.PodSpec) { env("OLD", "BOTH", "NEW")(spec); mesh(spec) },
		"it lacks a part of the second":                  func(spec *corev1.PodSpec) { env("BOTH")(spec); mesh(spec) },
		"it has no container of the template's name":     first(func(c *corev1.Container) { c.Name = "another" }),
		"it is in the network of its node":               func(spec *corev1.PodSpec) { spec.HostNetwork = true },
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(1)
			ds := b.DaemonSet("agent", template(env("OLD", "BOTH")))
			ds.Revision("v1", 1)
			ds.Set(template(env("NEW", "BOTH")), historytest.Version("v2"))
			ds.Revision("v2", 2)
			pod := ds.PodOf("v2", "a", "node-1", admission(content))
			cluster, now := end(b), ds.Object().Spec.Template
			if cluster.IsUpdated(pod.Object()) || cluster.Matches(pod.Object(), &now) {
				t.Error("the pod passes for one of the template in force")
			}
		})
	}
}

// TestTheLabelTellsWhichTemplateAdmissionChanged has an image named by its digest alone, and a value of the template's that admission sets anew.
func TestTheLabelTellsWhichTemplateAdmissionChanged(t *testing.T) {
	for name, change := range map[string]func(*corev1.PodSpec){
		"a digest":     image("mirror.example/agent@sha256:abc"),
		"other values": first(func(c *corev1.Container) { c.Command, c.Resources = []string{"/wrapper", "/agent"}, cpu("3") }),
	} {
		for label, updated := range map[string]bool{"v1": false, "v2": true} {
			t.Run(name+" "+label, func(t *testing.T) {
				b := historytest.New(t).Nodes(1)
				ds := b.DaemonSet("agent", template(first(func(c *corev1.Container) { c.Command, c.Resources = []string{"/agent"}, cpu("1") })))
				ds.Revision("v1", 1)
				ds.Update("v2").Revision("v2", 2)
				pod := ds.PodOf(label, "a", "node-1", admission(change))
				cluster := end(b)
				if got := cluster.IsUpdated(pod.Object()); got != updated || cluster.RevisionOf(pod.Object()) == history.NoRevision {
					t.Errorf("updated %t, revision %d, want updated %t", got, cluster.RevisionOf(pod.Object()), updated)
				}
			})
		}
	}
}

// TestWhatWasSentTellsOfAPodThatAdmissionMadeAnother has a pod of each template of which admission changed what pods are known by, and an update in place of it.
func TestWhatWasSentTellsOfAPodThatAdmissionMadeAnother(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"a label":            func(pod *corev1.Pod) { pod.Labels["team"] = "another" },
		"the network":        admission(func(spec *corev1.PodSpec) { spec.HostNetwork = true }),
		"a removed variable": admission(first(func(c *corev1.Container) { c.Env = nil })),
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(2)
			ds := b.DaemonSet("agent", template(first(func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "DEBUG", Value: "1"}} })), func(ds *appsv1.DaemonSet) {
				ds.Spec.Template.Labels["team"] = "nodes"
			})
			ds.Revision("v1", 1)
			created := func(version, name, node string) *historytest.Pod {
				var sent *corev1.Pod
				pod := ds.PodOf(version, name, node, func(pod *corev1.Pod) {
					sent = pod.DeepCopy()
					pod.Labels = maps.Clone(pod.Labels)
					change(pod)
				})
				b.By(history.Implementation, "create").Asked(func(pod *corev1.Pod) { pod.Labels, pod.Spec = sent.Labels, sent.Spec })
				return pod
			}
			old := created("v1", "old", "node-1")
			ds.Update("v2").Revision("v2", 2)
			updated := created("v2", "updated", "node-2")
			cluster := end(b)
			if cluster.RevisionOf(old.Object()) == history.NoRevision || cluster.IsUpdated(old.Object()) {
				t.Errorf("the old pod is of revision %d", cluster.RevisionOf(old.Object()))
			}
			if now := ds.Object().Spec.Template; !cluster.IsUpdated(updated.Object()) || !cluster.Matches(updated.Object(), &now) {
				t.Errorf("the updated pod is of revision %d", cluster.RevisionOf(updated.Object()))
			}
			old.Patch("v2")
			if !end(b).IsUpdated(old.Object()) {
				t.Error("the pod that was updated in place is not updated")
			}
		})
	}
}

// TestAPodThatIsResizedStaysOfItsTemplate though one without resources would have all that it has.
func TestAPodThatIsResizedStaysOfItsTemplate(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	ds.Set(template(first(func(c *corev1.Container) { c.Resources = cpu("1") })))
	pod := ds.Pod("a", "node-1")
	pod.Edit(admission(first(func(c *corev1.Container) { c.Resources = cpu("2") })))
	if !end(b).IsUpdated(pod.Object()) {
		t.Error("it is of another template")
	}
}

// TestAPodThatIsPatchedBesideASidecarIsOfTheNextTemplate is an update in place of a pod to which admission added something.
func TestAPodThatIsPatchedBesideASidecarIsOfTheNextTemplate(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	pod := ds.PodOf("v1", "a", "node-1", admission(mesh))
	ds.Update("v2")
	if end(b).IsUpdated(pod.Object()) {
		t.Error("it is updated before it is patched")
	}
	pod.Edit(admission(func(spec *corev1.PodSpec) { spec.Containers[1].Image = "registry.example/agent:v2" }))
	if !end(b).IsUpdated(pod.Object()) {
		t.Error("it is not updated")
	}
}

// TestAPodThatSomebodyRelabelsStaysOfItsTemplate also where it is updated in place afterwards.
func TestAPodThatSomebodyRelabelsStaysOfItsTemplate(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent", func(ds *appsv1.DaemonSet) { ds.Spec.Template.Labels["role"] = "replica" })
	ds.Revision("v1", 1)
	pod := ds.PodOf("v1", "a", "node-1")
	pod.Edit(func(pod *corev1.Pod) {
		pod.Labels = maps.Clone(pod.Labels)
		pod.Labels["role"] = "primary"
	})
	if !end(b).IsUpdated(pod.Object()) {
		t.Error("it is of another template since its label was changed")
	}
	ds.Update("v2").Revision("v2", 2)
	if end(b).IsUpdated(pod.Object()) {
		t.Error("it is updated before it is patched")
	}
	pod.Patch("v2")
	now := ds.Object().Spec.Template
	if cluster := end(b); !cluster.IsUpdated(pod.Object()) || !cluster.Matches(pod.Object(), &now) {
		t.Error("it is not updated")
	}
}
