// Package impersonate makes users of a cluster out of an administrator: who uses their kubeconfig acts as the user, and RBAC decides by whom is
// impersonated. So nobody has to issue certificates or tokens.
package impersonate

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig writes a kubeconfig file for the user with these groups into the folder and returns its path; administrator is the path of an
// administrator's, who may impersonate. Every call makes another file: several processes may ask for the same user.
func Kubeconfig(administrator, dir, user string, groups ...string) (string, error) {
	config, err := clientcmd.LoadFromFile(administrator)
	if err == nil {
		err = impersonate(config, user, groups)
	}
	if err != nil {
		return "", fmt.Errorf("add user %s: %w", user, err)
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		return "", fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	file, err := os.CreateTemp(dir, strings.NewReplacer(":", "-", "/", "-").Replace(user)+"-*.kubeconfig")
	if err != nil {
		return "", fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	return file.Name(), nil
}

// impersonate has whoever uses the configuration act as the user.
func impersonate(config *clientcmdapi.Config, user string, groups []string) error {
	context := config.Contexts[config.CurrentContext]
	if context == nil || config.AuthInfos[context.AuthInfo] == nil {
		return fmt.Errorf("the administrator's kubeconfig has no user in its context %q", config.CurrentContext)
	}
	config.AuthInfos[context.AuthInfo].Impersonate = user
	config.AuthInfos[context.AuthInfo].ImpersonateGroups = groups
	return nil
}
