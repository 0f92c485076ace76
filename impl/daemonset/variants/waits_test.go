package variants_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// waits are situations in which a lawful variant waits and the reference does not.
func waits() []situation {
	handedOver := func(t *testing.T) *world {
		w := newWorld(t, 2, "1", "0")
		w.everywhere()
		w.update("v2")
		w.pod("n0")
		return w
	}
	return []situation{
		{"sees-nodes-late", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.everywhere()
			return w
		}, func(w *world) {
			joined := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "n1"}}
			w.Nodes = append(slices.Clone(w.Nodes), joined)
		}, "create on n1", "again after 500ms"},
		{"pauses-between-batches", func(t *testing.T) *world {
			w := newWorld(t, 3, "0", "2")
			w.everywhere()
			w.update("v2")
			return w
		}, func(*world) {}, "delete v1-n0, delete v1-n1", "again after 2s"},
		{"waits-for-leaving-pods", func(t *testing.T) *world {
			w := handedOver(t)
			w.replace("v1-n0", leaving(w))
			return w
		}, nil, "create on n1", "again after 3s"},
		{"creates-before-it-deletes", handedOver, nil, "create on n1, delete v1-n0", "create on n1, again after 1ms"},
		{"creates-before-it-deletes", handedOver, func(*world) {}, "create on n1, delete v1-n0", "create on n1, delete v1-n0"},
	}
}

func TestALawfulVariantWaitsWhereItSays(t *testing.T) { differ(t, waits()) }
