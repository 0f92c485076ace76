package kind

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// ownRepository is the name under which `make node-image` leaves images.
const ownRepository = "rollcall.dev/node"

// candidates are the images to look for, the best first. Only the last may have to be pulled.
func candidates(image, version string) []string {
	switch {
	case image != "":
		return []string{image}
	case version == "":
		return []string{ownRepository + ":" + controlplane.DefaultKubernetesVersion, defaults.Image}
	}
	tag := "v" + strings.TrimPrefix(version, "v")
	return []string{ownRepository + ":" + tag, "kindest/node:" + tag}
}

// findImage returns the image of the nodes, which the engine has from then on.
func (o Options) findImage(ctx context.Context) (string, error) {
	wanted := candidates(o.Image, o.KubernetesVersion)
	for _, image := range wanted {
		if _, err := docker(ctx, "image", "inspect", image); err == nil {
			return image, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	last := wanted[len(wanted)-1]
	o.say("pulling %s, once", last)
	if _, err := docker(ctx, "pull", "--quiet", last); err != nil {
		return "", missingImage(wanted, o.KubernetesVersion, err)
	}
	return last, nil
}

// missingImage says in one line what was looked for and how to get it.
func missingImage(wanted []string, version string, pulling error) error {
	if version == "" {
		version = controlplane.DefaultKubernetesVersion
	}
	return fmt.Errorf("there is no image for the nodes: not here are %s; %w; where no registry can be reached, build one, on Debian: make node-image KUBERNETES_VERSION=%s",
		strings.Join(wanted, ", "), pulling, strings.TrimPrefix(version, "v"))
}
