package implementation

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/image"
)

// repository is below what images of implementations are named.
const repository = "rollcall.dev/implementation/"

func (s *ImageSpec) build(ctx context.Context, options BuildOptions, name string) (Artifact, error) {
	switch {
	case s.GoPackage != "":
		program := image.Program{Package: s.GoPackage, Repository: repository + name, Out: options.Out}
		if strings.HasPrefix(s.GoPackage, ".") {
			program.Dir = s.folder // an import path is resolved where the user stands
		}
		built, err := image.Build(ctx, options.ImageCache, program)
		return Artifact{Image: built.Reference, Archive: built.Path}, err
	case s.Archive != "":
		archive := absolute(s.folder, s.Archive)
		reference, err := taggedIn(archive)
		return Artifact{Image: reference, Archive: archive}, err
	}
	return Artifact{Image: s.Reference}, nil
}

// taggedIn returns what the one image in an archive is called.
func taggedIn(archive string) (string, error) {
	content, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(archive) })
	if err != nil {
		return "", fmt.Errorf("reading the archive %s: %w", archive, err)
	}
	if len(content) != 1 || len(content[0].RepoTags) == 0 {
		return "", fmt.Errorf("the archive %s must hold one image with a tag, as `docker save NAME:TAG` writes it; it holds %d images", archive, len(content))
	}
	return content[0].RepoTags[0], nil
}

// controlPlaneImage is what a component of the control plane runs from. Clusters that kubeadm or kind made run it in a pod.
func controlPlaneImage(ctx context.Context, c client.Client, component string) (string, error) {
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace(metav1.NamespaceSystem), client.MatchingLabels{"component": component}); err != nil {
		return "", fmt.Errorf("looking for the pods of %s: %w", component, err)
	}
	for _, pod := range pods.Items {
		for _, container := range pod.Spec.Containers {
			if container.Name == component {
				return container.Image, nil
			}
		}
	}
	return "", fmt.Errorf("no pod in %s with the label component=%s has a container %s, whose image was to be used", metav1.NamespaceSystem, component, component)
}
