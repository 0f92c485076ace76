package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// generate writes a module into dir from which the programs of a version can be built that no committed module pins.
//
// It starts from the go.mod and go.sum that the project itself builds with, so that every dependency has the version that was released. Where
// Kubernetes replaces its staging modules by folders of its own repository, the same modules as published under v0 take their place:
// k8s.io/api v0.37.0 is what v1.37.0 has in staging/src/k8s.io/api.
func generate(ctx context.Context, golang goTool, dir string, module toolModule) error {
	released, err := golang.download(ctx, mainModule(module.name), module.version)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(released.GoMod)
	if err != nil {
		return err
	}
	file, err := modfile.Parse(released.GoMod, text, nil)
	if err != nil {
		return err
	}
	if err := rewrite(file, module); err != nil {
		return fmt.Errorf("rewriting the go.mod of %s %s: %w", mainModule(module.name), module.version, err)
	}
	file.Cleanup()
	text, err = file.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(released.Dir, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
}

func rewrite(file *modfile.File, module toolModule) error {
	errs := []error{
		file.AddModuleStmt(rollcallModule + "/generated/" + module.name),
		file.AddRequire(mainModule(module.name), module.version),
	}
	for _, replace := range file.Replace {
		old, target := replace.Old, replace.New.Path // the file's own entry changes underneath
		switch {
		case !modfile.IsDirectoryPath(target):
		case module.name == kubernetes && strings.HasPrefix(target, "./staging/"):
			published := "v0" + strings.TrimPrefix(module.version, "v1")
			errs = append(errs, file.AddReplace(old.Path, old.Version, old.Path, published))
		default:
			errs = append(errs, file.DropReplace(old.Path, old.Version))
		}
	}
	for _, tool := range file.Tool {
		errs = append(errs, file.DropTool(tool.Path))
	}
	return errors.Join(errs...)
}
