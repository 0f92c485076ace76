package job

import (
	"context"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
)

// ExecBy executes commands as `kubectl exec` does: by WebSocket and, where the API server or what is before it does not know that, by SPDY.
func ExecBy(config *rest.Config, client kubernetes.Interface, namespace string) Exec {
	return func(ctx context.Context, pod string, command []string, out, errorOut io.Writer) error {
		request := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("exec").
			VersionedParams(&corev1.PodExecOptions{Container: "rollcall", Command: command, Stdout: true, Stderr: true}, scheme.ParameterCodec)
		webSocket, err := remotecommand.NewWebSocketExecutor(config, http.MethodGet, request.URL().String())
		if err != nil {
			return err
		}
		spdy, err := remotecommand.NewSPDYExecutor(config, http.MethodPost, request.URL())
		if err != nil {
			return err
		}
		executor, err := remotecommand.NewFallbackExecutor(webSocket, spdy, func(err error) bool {
			return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
		})
		if err != nil {
			return err
		}
		return executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: out, Stderr: errorOut})
	}
}
