package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/image"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/job"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// The files that `rollcall job` writes, and the name of its Job.
const (
	jobImage = "image.tar"
	jobFile  = "job.yaml"
	jobName  = "rollcall"
)

// mostShards is the largest -shards: more make no run shorter.
const mostShards = 64

// jobOptions are the flags of `rollcall job`.
type jobOptions struct {
	implementation, repository, output, namespace, version string
	shards                                                 int
	seed                                                   int64
	// rest are flags of `rollcall run`.
	rest []string
}

func parseJob(args []string, out io.Writer) (jobOptions, error) {
	var o jobOptions
	flags := newFlags("job", out)
	describe(flags, `rollcall job -output FOLDER [-shards N] [-implementation FILE] [flags] [-- flags of rollcall run]

Writes what runs the suites in shards in a cluster: an image of rollcall, the embedded control plane's programs and the implementation, in the format of docker save, and
the manifest of an Indexed Job. The nodes must have the architecture of this machine.

  rollcall job -output=_job -shards=4 -implementation=./my-controller.yaml -repository=registry.example.com/rollcall
  rollcall job -output=_job -- -focus=SURGE -procs=6

`+"`rollcall collect`"+` fetches the results of all shards and makes one run of them. Allowed behind -- are `+listed(jobFlags())+`.

Exit code: 0 written, 2 bad input, 3 something could not be built or written; nothing is left behind then.
`)
	takeImplementation(flags, &o.implementation)
	flags.StringVar(&o.output, "output", "", "`folder` to write "+jobImage+" and "+jobFile+" to; it must not exist")
	flags.StringVar(&o.repository, "repository", "rollcall.dev/rollcall", "the image's name without a tag, with the registry from which nodes pull it")
	flags.StringVar(&o.namespace, "n", "rollcall", "`namespace` of the Job, which the manifest makes")
	flags.IntVar(&o.shards, "shards", 4, "in how many pods to run")
	flags.Int64Var(&o.seed, "seed", 0, "seed of the run (default: the time)")
	flags.StringVar(&o.version, "kubernetes-version", "", "Kubernetes version of the control planes (default: the newest that rollcall knows)")
	if err := parseFlags(flags, args); err != nil {
		return o, err
	}
	o.rest = flags.Args()
	switch {
	case o.output == "":
		return o, usagef("-output: name a folder for %s and %s", jobImage, jobFile)
	case o.shards < 1 || o.shards > mostShards:
		return o, usagef("-shards %d: from 1 to %d", o.shards, mostShards)
	}
	if problems := validation.IsDNS1123Label(o.namespace); len(problems) > 0 {
		return o, usagef("-n %q: %s", o.namespace, strings.Join(problems, "; "))
	}
	if err := image.CheckRepository(o.repository); err != nil {
		return o, usagef("-repository: %w", err)
	}
	if _, err := os.Lstat(o.output); err == nil {
		return o, usagef("-output %s: it is there already: remove it, or name another folder", o.output)
	}
	if err := writable(existingParent(o.output)); err != nil {
		return o, usagef("-output %s: %s: %w: name a folder that you can write to", o.output, existingParent(o.output), err)
	}
	if o.seed == 0 {
		o.seed = time.Now().Unix()
	}
	return o, o.check()
}

// jobFlags are the flags of `rollcall run` that a Job's shards take: none that names a file, and none that the Job sets.
func jobFlags() []string {
	return []string{"-check-owner-references", "-focus", "-keep-going", "-on-exit", "-patience", "-procs", "-sample", "-skip", "-v"}
}

// check returns the usage error that every shard would end with.
func (o jobOptions) check() error {
	for _, word := range o.rest {
		if name, _, _ := strings.Cut(word, "="); !slices.Contains(jobFlags(), name) {
			return usagef("%s: behind -- give flags of rollcall run, each as one word such as -focus=SURGE: %s", word, listed(jobFlags()))
		}
	}
	// The last shard has the fewest specs.
	parsed, err := parseRun(o.runArgs(reports.Shard{Index: o.shards, Count: o.shards}, o.output), io.Discard)
	if err != nil {
		return err
	}
	specs := specTree()
	catalogue, _, err := loadCatalogue(specs)
	if err != nil {
		return err
	}
	_, err = parsed.selection(catalogue, specs)
	return err
}

// runArgs are the arguments of `rollcall run` for a shard, without the implementation.
func (o jobOptions) runArgs(shard reports.Shard, artifacts string) []string {
	args := []string{
		"-provider=" + embedded.ProviderName, "-kubernetes-version=" + o.version, "-seed=" + strconv.FormatInt(o.seed, 10),
		"-shard=" + shard.String(), "-artifacts=" + artifacts,
	}
	return append(args, o.rest...)
}

// writeJob is `rollcall job`.
func writeJob(ctx context.Context, args []string, out io.Writer) (int, error) {
	o, err := parseJob(args, out)
	if err != nil {
		return exitUsage, err
	}
	self, err := os.Executable()
	if err != nil {
		return exitHarness, fmt.Errorf("find this program: %w", err)
	}
	if err := image.Static(self); err != nil {
		return exitUsage, usagef("%w\n    build rollcall with CGO_ENABLED=0, or take the program of a release", err)
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	if _, err := implementation.Load(o.implementation, catalogue); err != nil {
		return exitUsage, usageError{err}
	}
	binaries, err := ensureBinaries(ctx, o.version, out)
	if err != nil {
		return exitHarness, err
	}
	o.version = binaries.KubernetesVersion
	work, removeWork, err := makeWork()
	if err != nil {
		return exitHarness, err
	}
	defer func() {
		if err := removeWork(); err != nil {
			fmt.Fprintf(os.Stderr, "rollcall: tidy up: %v\n", err)
		}
	}()
	tested, err := o.portable(ctx, catalogue, implementation.BuildOptions{Dir: work, BinDir: binaries.Dir, Out: out})
	if err != nil {
		return exitUsage, interrupted(ctx, err)
	}
	if err := os.MkdirAll(o.output, 0o755); err != nil {
		return exitUsage, usagef("-output: %w", err)
	}
	if err := o.fill(out, self, binaries, tested); err != nil {
		return exitHarness, errors.Join(err, os.RemoveAll(o.output))
	}
	return exitConformant, nil
}

// portable builds the implementation. What does not compile is an implementation.Failure, all else bad input.
func (o jobOptions) portable(ctx context.Context, catalogue *requirements.Catalogue, options implementation.BuildOptions) (implementation.Portable, error) {
	tested, err := implementation.MakePortable(ctx, o.implementation, catalogue, options)
	if err == nil && tested.Executable != "" {
		err = image.Static(tested.Executable)
	}
	if err != nil && !errors.As(err, new(implementation.Failure)) {
		err = usagef("-implementation: %w", err)
	}
	return tested, err
}

// fill writes the image and the manifest.
func (o jobOptions) fill(out io.Writer, self string, binaries controlplane.Binaries, tested implementation.Portable) error {
	bundle, err := o.bundle(self, binaries, tested)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "rollcall: packing the image")
	packed, err := image.Pack(filepath.Join(o.output, jobImage), bundle)
	if err != nil {
		return err
	}
	manifest := job.Manifest{
		Name: jobName, Namespace: o.namespace, Image: packed.Reference, Shards: o.shards, Architecture: runtime.GOARCH,
		Args: append([]string{job.ShardCommand, "-shards=" + strconv.Itoa(o.shards), "-seed=" + strconv.FormatInt(o.seed, 10), "-kubernetes-version=" + o.version, "--"}, o.rest...),
	}
	text, err := manifest.Write()
	if err != nil {
		return err
	}
	file := filepath.Join(o.output, jobFile)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, `%s: %s; bring it to the nodes, or to their registry, for example
    crane push %[1]s %[2]s
%s: %d shards, seed %d
    kubectl apply -f %[3]s
    rollcall collect -kubeconfig=FILE -context=NAME -n=%[6]s
`, packed.Path, packed.Reference, file, o.shards, o.seed, o.namespace)
	return err
}

// bundle is the image: the control plane's programs as a cache has them, the implementation, and rollcall.
func (o jobOptions) bundle(self string, binaries controlplane.Binaries, tested implementation.Portable) (image.Bundle, error) {
	const cache = job.CacheHome + "/rollcall"
	portable, err := binaries.Portable(cache, image.FileTime())
	if err != nil {
		return image.Bundle{}, err
	}
	var programs, controller []image.File
	for place, program := range portable.Programs {
		programs = append(programs, image.File{Path: cache + "/" + place, Program: program})
	}
	for place, content := range portable.Records {
		programs = append(programs, image.File{Path: cache + "/" + place, Content: content})
	}
	for place, leads := range portable.Links {
		programs = append(programs, image.File{Path: cache + "/" + place, Link: leads})
	}
	controller = append(controller, image.File{Path: job.ImplementationFile, Content: tested.Text})
	for name, content := range tested.Beside {
		controller = append(controller, image.File{Path: job.ImplementationFolder + "/" + name, Content: content})
	}
	if tested.Executable != "" {
		controller = append(controller, image.File{Path: job.ImplementationFolder + "/" + implementation.PortableProgram, Program: tested.Executable})
	}
	own := []image.File{{Path: job.Program, Program: self}, {Path: "/tmp"}, {Path: job.Results}, {Path: cache + "/work"}}
	return image.Bundle{
		Repository: o.repository, Architecture: runtime.GOARCH, Layers: [][]image.File{programs, own, controller},
		Entrypoint: []string{job.Program}, Env: []string{"XDG_CACHE_HOME=" + job.CacheHome, "HOME=/tmp"},
	}, nil
}
