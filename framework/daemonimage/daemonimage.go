// Package daemonimage makes the images that pods on real nodes run, from fixtures/workload: the server that daemon pods are, and the probe that
// calls them.
package daemonimage

import (
	"context"
	"fmt"
	"strings"

	// A module that requires rollcall must know the sums of all that the programs are built from, although nothing of it runs here.
	_ "github.com/rollcall-conformance/rollcall/fixtures/workload/probe"
	_ "github.com/rollcall-conformance/rollcall/fixtures/workload/server"
	"github.com/rollcall-conformance/rollcall/framework/image"
)

const (
	// Versions are how many images of the server there are, tagged v1 and so on: to a controller as many revisions.
	Versions = 9

	probeTag = "v1"
	programs = "github.com/rollcall-conformance/rollcall/fixtures/workload/cmd/"
)

// Place is where images are, the beginning of their names: a registry and a path in it, or Default.
type Place string

// Default is a registry that does not exist: the images of that name are brought to the nodes as an archive.
const Default Place = "rollcall.dev"

// Daemon is the name of the server's images without a tag.
func (p Place) Daemon() string { return string(p) + "/daemon" }

// Probe is the probe's image.
func (p Place) Probe() string { return p.probe() + ":" + probeTag }

func (p Place) probe() string { return string(p) + "/probe" }

// Tags are those of the server's images.
func Tags() []string {
	tags := make([]string, Versions)
	for i := range tags {
		tags[i] = fmt.Sprintf("v%d", i+1)
	}
	return tags
}

// Build is Default.Build.
func Build(ctx context.Context, cache string) (image.Archive, error) {
	return Default.Build(ctx, cache)
}

// BuildProbe is Default.BuildProbe.
func BuildProbe(ctx context.Context, cache string) (image.Archive, error) {
	return Default.BuildProbe(ctx, cache)
}

// Build makes the archive of the server's images below the folder cache from source, or takes the one there. It runs the go command where the process
// stands, which must be in rollcall's own module or in one that requires it.
func (p Place) Build(ctx context.Context, cache string) (image.Archive, error) {
	return build(ctx, cache, image.Program{Package: programs + "workload-server", Repository: p.Daemon(), Tags: Tags()})
}

// BuildProbe makes the archive of the probe's image in the same way.
func (p Place) BuildProbe(ctx context.Context, cache string) (image.Archive, error) {
	return build(ctx, cache, image.Program{Package: programs + "workload-probe", Repository: p.probe(), Tags: []string{probeTag}})
}

// build says where the programs can be built, where the go command finds none of them.
func build(ctx context.Context, cache string, program image.Program) (image.Archive, error) {
	built, err := image.Build(ctx, cache, program)
	if err != nil && strings.Contains(err.Error(), "no required module provides package") {
		return built, fmt.Errorf("%w\n    the go.mod of the working directory says where rollcall's programs are: run this in a checkout of rollcall, or in a module that requires it "+
			"(go get -tool github.com/rollcall-conformance/rollcall)", err)
	}
	return built, err
}
