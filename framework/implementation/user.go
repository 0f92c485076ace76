package implementation

import (
	"cmp"
	"fmt"
)

// Users returns the user names under which the implementation acts if launched with these options; none if others launch it.
func (i *Implementation) Users(options LaunchOptions) ([]string, error) {
	way, err := i.way(i.reaches(options.Machines != nil, options.Pull))
	if err != nil {
		return nil, err
	}
	switch way {
	case byProcess:
		return []string{i.Launch.Process.User.Name}, nil
	case byImage:
		deployment, err := i.Launch.Image.deployment()
		if err != nil {
			return nil, fmt.Errorf("finding the user of the implementation %s: %w", i.Name, err)
		}
		account := cmp.Or(deployment.Spec.Template.Spec.ServiceAccountName, "default")
		return []string{fmt.Sprintf("system:serviceaccount:%s:%s", deployment.Namespace, account)}, nil
	}
	return nil, nil
}
