package revisions

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// versionOf is the tag of the image in the template that the history holds; empty if it holds none that can be read.
func versionOf(revision *appsv1.ControllerRevision) string {
	template, err := history.TemplateIn(revision)
	if err != nil || len(template.Spec.Containers) == 0 {
		return ""
	}
	image := template.Spec.Containers[0].Image
	return image[strings.LastIndex(image, ":")+1:]
}

// controlledBy are the histories that the DaemonSet controls, the highest number first.
func controlledBy(cluster *history.Cluster, daemonSet *appsv1.DaemonSet) []*appsv1.ControllerRevision {
	mine := slices.Collect(maps.Values(cluster.Revisions))
	mine = slices.DeleteFunc(mine, func(r *appsv1.ControllerRevision) bool { return !metav1.IsControlledBy(r, daemonSet) })
	slices.SortFunc(mine, func(a, b *appsv1.ControllerRevision) int { return int(b.Revision - a.Revision) })
	return mine
}

// historyOf returns the DaemonSet's history of that version. A scenario that finds none ends there.
func historyOf(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, version string) *appsv1.ControllerRevision {
	var found *appsv1.ControllerRevision
	c.Look(ctx, func(cluster *history.Cluster) {
		for _, revision := range controlledBy(cluster, daemonSet) {
			if versionOf(revision) == version {
				found = revision
				return
			}
		}
	})
	if found == nil {
		c.CannotDecide("there is no history of " + version)
	}
	return found
}

// keeps holds when the DaemonSets of the name control histories of just these versions, the newest first.
func keeps(name string, versions ...string) Condition {
	return state.Right(fmt.Sprintf("the histories of %s are %s", name, strings.Join(versions, ", ")), func(cluster *history.Cluster) error {
		for _, daemonSet := range cluster.DaemonSets {
			if daemonSet.Name != name {
				continue
			}
			var got []string
			for _, revision := range controlledBy(cluster, daemonSet) {
				got = append(got, versionOf(revision))
			}
			if !slices.Equal(got, versions) {
				return fmt.Errorf("the histories of %s are %s, the newest first", name, strings.Join(got, ", "))
			}
		}
		return nil
	})
}

// ofVersion restricts an event of histories to those of the version.
func ofVersion(e Event, version string) Event {
	return e.Where("of "+version, func(m Moment) bool { return versionOf(m.Object.(*appsv1.ControllerRevision)) == version })
}

// copyOf is another history with the data of one, under the name and with the value of the revision label, that nobody controls.
func copyOf(c *spec.Case, revision *appsv1.ControllerRevision, name, value string, number int64) *appsv1.ControllerRevision {
	twin := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: revision.Namespace, Labels: maps.Clone(revision.Labels)},
		Data:       revision.Data, Revision: number,
	}
	metav1.SetMetaDataLabel(&twin.ObjectMeta, c.RevisionLabel(), value)
	return twin
}

// withVersion is the history with another image tag in its template.
func withVersion(revision *appsv1.ControllerRevision, from, to string) *appsv1.ControllerRevision {
	changed := revision.DeepCopy()
	changed.Data.Raw = bytes.ReplaceAll(revision.Data.Raw, []byte(":"+from+`"`), []byte(":"+to+`"`))
	return changed
}

// gone holds when there is no such history.
func gone(name string) Condition {
	return state.When(name+" is gone", func(cluster *history.Cluster) bool { return found(cluster, name) == nil })
}

// adopted holds when a DaemonSet controls the history.
func adopted(name string) Condition {
	return state.When("a DaemonSet controls "+name, func(cluster *history.Cluster) bool {
		revision := found(cluster, name)
		return revision != nil && metav1.GetControllerOf(revision) != nil
	})
}

// allLabelled holds when every history that a DaemonSet controls has the revision label.
func allLabelled() Condition {
	return eachHistory("has the revision label", func(revision *appsv1.ControllerRevision, _ *appsv1.DaemonSet, label string) error {
		if revision.Labels[label] == "" {
			return fmt.Errorf("%s has none", revision.Name)
		}
		return nil
	})
}

// found is the history of that name, or nil.
func found(cluster *history.Cluster, name string) *appsv1.ControllerRevision {
	for _, revision := range cluster.Revisions {
		if revision.Name == name {
			return revision
		}
	}
	return nil
}
