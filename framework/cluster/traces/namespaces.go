package traces

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// remindedAnnotation is when the namespace controller was last told to look again.
	remindedAnnotation = "rollcall.dev/reminded"
	reminderInterval   = 5 * time.Second
)

// remind has the namespace controller look again at a namespace that it is removing. By itself it does so only after half of the longest grace period that
// it found in the pods there, though they are gone long since, but also at a namespace that changed.
func remind(ctx context.Context, cluster kubernetes.Interface, namespace *corev1.Namespace) error {
	last, err := time.Parse(time.RFC3339, namespace.Annotations[remindedAnnotation])
	if err == nil && time.Since(last) < reminderInterval {
		return nil
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, remindedAnnotation, time.Now().Format(time.RFC3339))
	_, err = cluster.CoreV1().Namespaces().Patch(ctx, namespace.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return client.IgnoreNotFound(err)
}

// hindrance is what keeps a namespace from going, as it says itself.
func hindrance(namespace *corev1.Namespace) string {
	var said strings.Builder
	for _, condition := range namespace.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			fmt.Fprintf(&said, "; %s", condition.Message)
		}
	}
	return said.String()
}
