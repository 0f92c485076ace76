package scenario

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Client is the administrator's client, for what no method covers. Its requests are recorded; what they are to cause is recorded by Do.
func (s *Scenario) Client() kubernetes.Interface { return s.client }

// config is that of clients who speak of DaemonSets, whatever the workload is. So exchanges and events are recorded in the harness's words.
func (e Environment) config() (*rest.Config, error) {
	config := rest.CopyConfig(e.Config)
	if e.Workload.IsDaemonSet() {
		return config, nil
	}
	translate, err := e.Workload.Transport()
	if err != nil {
		return nil, err
	}
	config.Wrap(translate)
	return inJSON(config), nil
}

// inJSON has the config's clients speak JSON instead of protobuf.
func inJSON(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	return config
}

// recordedClient returns a client whose requests and answers are in the recording.
func (s *Scenario) recordedClient(config *rest.Config) (kubernetes.Interface, error) {
	// A recording cannot hold protobuf.
	config = inJSON(config)
	under, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	recorded := *under
	recorded.Transport = s.recorder.Transport(under.Transport)
	return kubernetes.NewForConfigAndClient(config, &recorded)
}
