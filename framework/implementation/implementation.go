// Package implementation describes the controller under test: it reads implementation files, strictly, and launches what they name.
//
// It knows nothing about requirements beyond their names, and nothing about how the cluster came to be.
package implementation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/fixtures"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// The type of document that an implementation file is.
const (
	APIVersion = "rollcall.dev/v1alpha1"
	Kind       = "Implementation"
)

// DefaultRevisionLabel is the label by which Kubernetes tells a DaemonSet's revisions apart.
const DefaultRevisionLabel = appsv1.ControllerRevisionHashLabelKey

// Implementation is what an implementation file says.
type Implementation struct {
	// Name identifies it in reports and file names: lower-case letters, digits and dashes.
	Name string
	// File is where it was read from, for messages.
	File string

	// Organization, Project, URL, Version and Contact head the report, as in the Gateway API's conformance report. They may be empty.
	// For Version see also VersionOn.
	Organization, Project, URL, Version string
	Contact                             []string

	// Workload is the API that it reconciles. Default: DaemonSets of apps/v1.
	Workload workload.Workload
	// RevisionLabel tells the pods of two revisions apart. Default: DefaultRevisionLabel.
	RevisionLabel string
	// PodUpdatePolicy is how DaemonSets ask for updates in place. Default: history.DefaultUpdatePolicy, the reference's.
	PodUpdatePolicy history.UpdatePolicy
	// Features are what the implementation claims, at least one.
	Features []requirements.Feature
	// Replaces are the controllers of kube-controller-manager to be switched off. Default: none.
	Replaces []string
	// Launch says how the implementation comes to run.
	Launch LaunchSpec
	// KnownDeviations are shown in the report; they never turn a fail into a pass.
	KnownDeviations []KnownDeviation
}

// KnownDeviation is a requirement the implementation is known not to meet.
type KnownDeviation struct {
	Requirement requirements.ID
	// Issue is the address where it is being discussed.
	Issue string
}

// LaunchSpec says how an implementation comes to run: as a local process, or in the cluster, where its nodes have machines behind them. With neither it
// runs already, launched by others.
type LaunchSpec struct {
	// Process is a local process, or nil.
	Process *ProcessSpec
	// Image is a Deployment in the cluster, or nil. With both, it is used where it can be.
	Image *ImageSpec
	// Gates are the feature gates of Gates() that can be switched, each with the argument that does it, in which ${ON} stands for true or false.
	// Default: none.
	Gates map[string]string
}

// ProcessSpec describes a local process. Args, Env, ReadyURL and MetricsURL may contain the variables of Variables.
type ProcessSpec struct {
	// GoPackage is built first and then run: an import path, resolved by the go.mod of the working directory, or a path beginning
	// with "./" or "../", relative to the implementation file. Exactly one of GoPackage and Executable is set.
	GoPackage string
	// Executable is a control-plane program (kube-controller-manager, of the cluster's version), a name in PATH, or a path with a
	// slash, relative to the implementation file.
	Executable string
	// Args are the arguments.
	Args []string
	// ElectionArgs are arguments of the form --flag=value with which two processes elect a leader, and only that one is ready: each takes the place of those of
	// the same flag among the arguments, or is appended. They should have a leader that was killed replaced within seconds. Default: nobody knows how, and specs about
	// that are not run.
	ElectionArgs []string
	// Env is added to the harness's environment.
	Env map[string]string
	// ReadyURL answers with a 2xx status once the implementation works; certificates are not checked. Empty: it counts as ready once it runs.
	ReadyURL string
	// ReadyText must be part of that answer's body, for an address that answers before all works. Default: any answer will do.
	ReadyText string
	// ReadyTimeout bounds the wait for ReadyURL. Default: process.DefaultReadyTimeout.
	ReadyTimeout time.Duration
	// MetricsURL answers with its metrics in the text format of Prometheus; certificates are not checked. Default: nobody knows where they are, and specs
	// about them are not run.
	MetricsURL string
	// User is the identity of the kubeconfig. Default: the implementation's name, as a member of system:masters, whom RBAC never stops.
	User User
	// Manifests are applied by an administrator before the launch.
	Manifests []Manifest

	// folder is what relative paths are relative to; empty for a shipped file, which is in no folder.
	folder string
}

// ImageSpec describes an implementation that runs in the cluster, in one Deployment. Exactly one of the first four says where its image comes from.
type ImageSpec struct {
	// GoPackage is built into an image of nothing but its program; for paths see ProcessSpec.GoPackage.
	GoPackage string
	// Archive is a file in the format of `docker save` with one image, relative to the implementation file.
	Archive string
	// Reference is an image that the nodes pull.
	Reference string
	// ControlPlane is a component of the control plane, whose very image is used.
	ControlPlane string
	// Manifests are applied by an administrator in their order. ${IMAGE} in them stands for what the nodes call the image.
	Manifests []Manifest
	// Deployment is the one of the manifests whose pods are the implementation. Nothing else of the manifests is killed, suspended and so on. With
	// terminationMessagePolicy FallbackToLogsOnError in its containers, the report says why one of them ended by itself.
	Deployment types.NamespacedName

	// folder is as in ProcessSpec.
	folder string
}

// User is whom a kubeconfig authenticates as.
type User struct {
	Name   string
	Groups []string
}

// Manifest is a file of Kubernetes objects.
type Manifest struct {
	Path    string
	Content []byte
}

// VersionOn is the version of the implementation on a cluster of this Kubernetes version, for implementations that are part of Kubernetes and
// say "${KUBERNETES_VERSION}".
func (i *Implementation) VersionOn(kubernetesVersion string) string {
	return strings.ReplaceAll(i.Version, kubernetesVersionVariable, kubernetesVersion)
}

// Claims reports whether the implementation claims a feature.
func (i *Implementation) Claims(feature requirements.Feature) bool {
	return slices.Contains(i.Features, feature)
}

// Load reads an implementation file: a path, or the name of one that is shipped (see Shipped). Its error, which is always the user's to
// mend, lists everything that is wrong, one line each, as "file:line: what: what is allowed".
func Load(nameOrPath string, catalogue *requirements.Catalogue) (*Implementation, error) {
	found, err := open(nameOrPath)
	if err != nil {
		return nil, err
	}
	return decodeBy(&reader{file: found.file, program: mainPackage}, found.file, found.text, found.folder, catalogue, found.manifest)
}

// source is an implementation file, and how what it names beside it is read.
type source struct {
	file string
	text []byte
	// folder is what paths in it are relative to; empty for a shipped file.
	folder   string
	manifest func(path string) ([]byte, error)
}

func open(nameOrPath string) (source, error) {
	if nameOrPath == "" {
		return source{}, fmt.Errorf("no implementation is named: give the path of an implementation file, or one of %s", strings.Join(Shipped(), ", "))
	}
	if isPath(nameOrPath) {
		if info, err := os.Stat(nameOrPath); err == nil && info.IsDir() {
			return source{}, fmt.Errorf("%s is a folder: name the implementation file in it", nameOrPath)
		}
		text, err := readFile(nameOrPath)
		if err != nil {
			return source{}, fmt.Errorf("reading the implementation file: %w (shipped are %s)", err, strings.Join(Shipped(), ", "))
		}
		folder, err := filepath.Abs(filepath.Dir(nameOrPath))
		if err != nil {
			return source{}, fmt.Errorf("reading the implementation file: %w", err)
		}
		return source{nameOrPath, text, folder, func(manifest string) ([]byte, error) { return readFile(absolute(folder, manifest)) }}, nil
	}
	shipped := path.Join("implementations", nameOrPath+".yaml")
	text, err := fs.ReadFile(fixtures.Files(), shipped)
	if errors.Is(err, fs.ErrNotExist) {
		return source{}, fmt.Errorf("no implementation %q is shipped: there are %s; for a file of your own give its path, as in ./%s.yaml",
			nameOrPath, strings.Join(Shipped(), ", "), nameOrPath)
	}
	if err != nil {
		return source{}, fmt.Errorf("reading the implementation file: %w", err)
	}
	return source{shipped, text, "", func(manifest string) ([]byte, error) {
		return fs.ReadFile(fixtures.Files(), path.Join(path.Dir(shipped), manifest))
	}}, nil
}

// largestFile is more than an implementation file takes, or a manifest, which an API server would refuse.
const largestFile = 4 << 20

// readFile reads a file that is no larger than largestFile.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	if err == nil && len(text) > largestFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, largestFile>>20)
	}
	return text, err
}

// Locate returns what Load finds the same file by from any working directory: a shipped name as it is, a path made absolute.
func Locate(nameOrPath string) (string, error) {
	if !isPath(nameOrPath) {
		return nameOrPath, nil
	}
	path, err := filepath.Abs(nameOrPath)
	if err != nil {
		return "", fmt.Errorf("locating the implementation file: %w", err)
	}
	return path, nil
}

// Shipped lists the names of the implementation files that come with rollcall.
func Shipped() []string {
	// The pattern is a constant and valid, which is the only way for this to fail.
	files, _ := fs.Glob(fixtures.Files(), "implementations/*.yaml")
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
	}
	return names
}

func isPath(nameOrPath string) bool {
	return strings.ContainsRune(nameOrPath, filepath.Separator) || strings.HasSuffix(nameOrPath, ".yaml") || strings.HasSuffix(nameOrPath, ".yml")
}

func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
