package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"

	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// StoreBudget puts a budget of policy/v1beta1 into etcd, as a version of Kubernetes that served it has left it, and returns what the API server reads there:
// a budget of policy/v1. It takes spec.Storage.
func (s *Scenario) StoreBudget(ctx context.Context, name string, spec policyv1beta1.PodDisruptionBudgetSpec) *policyv1.PodDisruptionBudget {
	s.tb.Helper()
	former := &policyv1beta1.PodDisruptionBudget{
		TypeMeta: metav1.TypeMeta{APIVersion: policyv1beta1.SchemeGroupVersion.String(), Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: s.namespace, UID: uuid.NewUUID(), Generation: 1, CreationTimestamp: metav1.Now().Rfc3339Copy(),
		},
		Spec: spec,
	}
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: former.ObjectMeta}
	err := s.Do(ctx, onBudget(history.StoreBudget, budget), func(ctx context.Context) error {
		return store(ctx, s.env.StorageURL, path.Join("/registry/poddisruptionbudgets", s.namespace, name), former)
	})
	s.must(err, "store PodDisruptionBudget %s of policy/v1beta1 in etcd", name)
	budget, err = s.admin.PolicyV1().PodDisruptionBudgets(s.namespace).Get(ctx, name, metav1.GetOptions{})
	s.must(err, "read PodDisruptionBudget %s", name)
	return budget
}

// store puts an object under a key of the etcd at url, by the JSON form of etcd's API.
func store(ctx context.Context, url, key string, object any) error {
	value, err := json.Marshal(object)
	if err != nil {
		return err
	}
	// Bytes are in base64, as encoding/json has them.
	body, err := json.Marshal(map[string][]byte{"key": []byte(key), "value": value})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v3/kv/put", bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		const most = 1024
		said, err := io.ReadAll(io.LimitReader(response.Body, most))
		if err != nil {
			return err
		}
		return fmt.Errorf("etcd answers %s: %s", response.Status, said)
	}
	return nil
}
