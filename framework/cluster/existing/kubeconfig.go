package existing

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ReadConfig reads one context from a kubeconfig file. Neither has a default: nobody's cluster is used because a shell happened to point at it. The error
// names what is missing, and the contexts there are.
func ReadConfig(file, context string) (*clientcmdapi.Config, error) {
	if file == "" {
		return nil, errors.New("no kubeconfig file is named: name both -kubeconfig=FILE and -context=NAME")
	}
	config, err := clientcmd.LoadFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig file %s: %w", file, err)
	}
	there := "it has no contexts"
	if len(config.Contexts) > 0 {
		there = "its contexts are " + strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", ")
	}
	switch {
	case context == "":
		return nil, fmt.Errorf("no context of %s is named with -context=NAME: %s", file, there)
	case config.Contexts[context] == nil:
		return nil, fmt.Errorf("%s has no context %q: %s", file, context, there)
	}
	config.CurrentContext = context
	if err := clientcmdapi.MinifyConfig(config); err != nil {
		return nil, fmt.Errorf("context %s of %s: %w", context, file, err)
	}
	// What is in other files stays there.
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return nil, fmt.Errorf("context %s of %s: %w", context, file, err)
	}
	if err := clientcmd.ConfirmUsable(*config, context); err != nil {
		return nil, fmt.Errorf("context %s of %s: %w", context, file, err)
	}
	return config, nil
}
