package stress

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

// revisionActs are what somebody does to ControllerRevisions.
func revisionActs() map[string]act {
	return map[string]act{
		schedule.CopyRevision: onRevision((*player).copyRevision),
		schedule.UnlabelRevision: editRevision(func(p *player, revision *appsv1.ControllerRevision) {
			delete(revision.Labels, p.RevisionLabel())
		}),
		schedule.ReleaseRevision:    editRevision(func(_ *player, revision *appsv1.ControllerRevision) { revision.OwnerReferences = nil }),
		schedule.UnreadableRevision: onRevision((*player).createUnreadable),
	}
}

// revisions are those of the DaemonSet, and those that it may adopt, by their numbers.
func (p *player) revisions(ctx context.Context) []*appsv1.ControllerRevision {
	var all []*appsv1.ControllerRevision
	p.Look(ctx, func(cluster *history.Cluster) { all = slices.Collect(maps.Values(cluster.Revisions)) })
	slices.SortFunc(all, func(a, b *appsv1.ControllerRevision) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// onRevision makes an act on one of the revisions.
func onRevision(do func(p *player, ctx context.Context, revision *appsv1.ControllerRevision, a, b int)) act {
	return func(ctx context.Context, p *player, a, b int) {
		if revisions := p.revisions(ctx); len(revisions) > 0 {
			do(p, ctx, revisions[a%len(revisions)], a, b)
		}
	}
}

// editRevision makes an act that changes one of the revisions, unless that is gone by then.
func editRevision(edit func(p *player, revision *appsv1.ControllerRevision)) act {
	return onRevision(func(p *player, ctx context.Context, revision *appsv1.ControllerRevision, _, _ int) {
		_, err := p.TryUpdateRevision(ctx, revision, func(revision *appsv1.ControllerRevision) { edit(p, revision) })
		if err != nil && !apierrors.IsNotFound(err) {
			p.CannotDecide(fmt.Sprintf("harness: update ControllerRevision %s: %v", revision.Name, err))
		}
	})
}

// copyRevision creates a revision of the same content as another, with a name, a label and a number of its own, as kube-controller-manager does that races
// with itself. Every second one belongs to nobody.
func (p *player) copyRevision(ctx context.Context, revision *appsv1.ControllerRevision, _, b int) {
	twin := p.newRevision("copy", revision)
	twin.Data, twin.Revision = revision.Data, max(revision.Revision+int64(b%3)-1, 0)
	if b%2 == 1 {
		twin.OwnerReferences = revision.OwnerReferences
	}
	p.CreateRevision(ctx, twin)
}

// createUnreadable creates a revision that holds no template, be it the DaemonSet's or nobody's. None holds an object of another kind: client-go's encoder may write
// the keys of such data in another order, so that a controller which adopts it with a typed client is told that the data cannot be changed.
func (p *player) createUnreadable(ctx context.Context, revision *appsv1.ControllerRevision, a, b int) {
	data := []string{`{"spec":{"template":"none"}}`, `{"spec":{"template":{"spec":{"containers":{"name":"daemon"}}}}}`, `{"spec":{}}`}
	unreadable := p.newRevision("unreadable", revision)
	unreadable.Data, unreadable.Revision = runtime.RawExtension{Raw: []byte(data[a%len(data)])}, int64(b)
	if a/len(data)%2 == 1 {
		unreadable.OwnerReferences = revision.OwnerReferences
	}
	p.CreateRevision(ctx, unreadable)
}

// newRevision returns a revision with a name of its own and the labels of another, but for the one that tells them apart.
func (p *player) newRevision(prefix string, like *appsv1.ControllerRevision) *appsv1.ControllerRevision {
	label := p.name(prefix)
	made := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{
		Name: p.daemonSet.Name + "-" + label, Namespace: p.daemonSet.Namespace, Labels: maps.Clone(like.Labels),
	}}
	metav1.SetMetaDataLabel(&made.ObjectMeta, p.RevisionLabel(), label)
	return made
}

// name is one that nothing else in the scenario has.
func (p *player) name(prefix string) string {
	p.made++
	return fmt.Sprintf("%s%d", prefix, p.made)
}
