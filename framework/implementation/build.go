package implementation

import (
	"context"
	"fmt"
	"io"
)

// Artifact is what an implementation is launched from, any number of times, by any process on this machine.
type Artifact struct {
	// Executable is the path of a local process's.
	Executable string `json:"executable,omitempty"`
	// Image is what the nodes call the image. Empty, if it is the control plane's: only a running cluster knows that.
	Image string `json:"image,omitempty"`
	// Archive is a file with the image for the nodes, in the format of `docker save`. Empty, if they have the image or pull it.
	Archive string `json:"archive,omitempty"`
}

// BuildOptions says what for and where Build builds.
type BuildOptions struct {
	// Machines says that the nodes will have machines behind them, see LaunchOptions.
	Machines bool
	// Pull says that the nodes find images by themselves, see LaunchOptions.
	Pull bool
	// Dir receives an executable.
	Dir string
	// BinDir is the folder of the control-plane programs.
	BinDir string
	// ImageCache receives images and is of use to later runs too.
	ImageCache string
	// Static compiles executables without cgo, so that they need no libraries of this machine. Default: as the environment says.
	Static bool
	// Out receives how far the compiler is. Default: nobody.
	Out io.Writer
}

// Build makes what Launch needs, as far as that is possible without a cluster. The artifact of an implementation that is launched by others is empty.
// What goes wrong is a Failure, unless the context ended.
func (i *Implementation) Build(ctx context.Context, options BuildOptions) (Artifact, error) {
	built, err := i.build(ctx, options)
	return built, failure(ctx, err)
}

func (i *Implementation) build(ctx context.Context, options BuildOptions) (Artifact, error) {
	way, err := i.way(i.reaches(options.Machines, options.Pull))
	if err != nil {
		return Artifact{}, err
	}
	switch way {
	case byImage:
		built, err := i.Launch.Image.build(ctx, options, i.Name)
		if err != nil {
			return Artifact{}, fmt.Errorf("preparing the image of the implementation %s: %w", i.Name, err)
		}
		return built, nil
	case byProcess:
		executable, err := i.executable(ctx, options)
		return Artifact{Executable: executable}, err
	}
	return Artifact{}, nil
}

// Source is the Go package that Build compiles with these options; empty if it compiles none.
func (i *Implementation) Source(options BuildOptions) string {
	// Where there is no way, Build says why.
	switch way, _ := i.way(i.reaches(options.Machines, options.Pull)); {
	case way == byImage:
		return i.Launch.Image.GoPackage
	case way == byProcess && i.Launch.Process != nil:
		return i.Launch.Process.GoPackage
	}
	return ""
}
