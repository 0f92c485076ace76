package kind

import "context"

// EngineAnswers fails where no Docker engine does, and says what to do about it.
func EngineAnswers(ctx context.Context) error {
	_, err := findEngine(ctx)
	return err
}

// ImageHere is the image that nodes of the Kubernetes version would be made of, if the engine has one; empty if one would have to be pulled first, or built.
// The empty version is the default one.
func ImageHere(ctx context.Context, version string) string {
	for _, image := range candidates("", version) {
		if _, err := docker(ctx, "image", "inspect", image); err == nil {
			return image
		}
	}
	return ""
}
