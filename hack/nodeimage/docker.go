package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

func docker(ctx context.Context, args ...string) (string, error) {
	output, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output)), nil
}

func engineAnswers(ctx context.Context) error {
	if _, err := docker(ctx, "version", "--format", "{{.Server.Version}}"); err != nil {
		return fmt.Errorf("no Docker engine answers: start Docker, or on a bare Debian machine run `eval \"$(go run ./hack/docker-engine start)\"`: %w", err)
	}
	return nil
}

// labelled reports whether the engine has an image of this name with this label.
func labelled(ctx context.Context, image, label, value string) bool {
	got, err := docker(ctx, "image", "inspect", "--format", fmt.Sprintf("{{index .Config.Labels %q}}", label), image)
	return err == nil && got == value
}
