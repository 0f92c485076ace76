package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/cluster/existing"
	"github.com/rollcall-conformance/rollcall/framework/job"
)

// collectShards is `rollcall collect`.
func collectShards(ctx context.Context, args []string, out io.Writer) (int, error) {
	var kubeconfig, kubecontext, namespace, name, folder string
	flags := newFlags("collect", out)
	describe(flags, `rollcall collect -kubeconfig FILE -context NAME [-n NAMESPACE] [-artifacts FOLDER]

Waits until all shards of the Job that `+"`rollcall job`"+` wrote have run, fetches their results, and makes one run of them, as `+"`rollcall merge`"+` does. Then the pods
end. It needs permission to get the Job, to list pods, and to create and get pods/exec, in the Job's namespace.

Exit code: as of `+"`rollcall run`"+`; 2 also if there is no such Job, 3 if the results of a shard cannot be fetched. Then nothing is written, and the pods go on waiting.
`)
	flags.StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig `file`")
	flags.StringVar(&kubecontext, "context", "", "the cluster's context in it")
	flags.StringVar(&namespace, "n", "rollcall", "`namespace` of the Job")
	flags.StringVar(&name, "job", jobName, "`name` of the Job")
	flags.StringVar(&folder, "artifacts", "_artifacts", "`folder` for the report, recordings and logs of all shards")
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	if folder == "" {
		return exitUsage, usagef("-artifacts: name a folder")
	}
	if err := refuseForeign(folder); err != nil {
		return exitUsage, usageError{err}
	}
	read, err := existing.ReadConfig(kubeconfig, kubecontext)
	if err != nil {
		return exitUsage, usageError{err}
	}
	config, err := clientcmd.NewDefaultClientConfig(*read, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return exitUsage, usageError{err}
	}
	config.UserAgent = "rollcall-collect"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return exitUsage, usageError{err}
	}
	work, removeWork, err := makeWork()
	if err != nil {
		return exitHarness, err
	}
	defer func() {
		if err := removeWork(); err != nil {
			fmt.Fprintf(os.Stderr, "rollcall: tidy up: %v\n", err)
		}
	}()
	return fetchShards(ctx, &job.Collector{
		Client: client, Exec: job.ExecBy(config, client, namespace), Namespace: namespace, Name: name, Folder: filepath.Join(work, "shards"),
		Tell: func(text string) { fmt.Fprintf(out, "rollcall: %s\n", text) },
	}, folder, out)
}

// fetchShards fetches the results, merges them into the folder, and lets the pods end.
func fetchShards(ctx context.Context, collector *job.Collector, folder string, out io.Writer) (int, error) {
	shards, err := collector.Collect(ctx)
	switch {
	case errors.Is(err, job.ErrNoJob):
		return exitUsage, usageError{err}
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return exitUsage, usagef("%w\n    `rollcall collect -help` says which permissions it takes", err)
	case err != nil:
		return exitHarness, interrupted(ctx, err)
	}
	code, err := mergeInto(folder, shards, out)
	if err != nil {
		return code, err
	}
	if err := collector.Release(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "rollcall: the results are here, and pods go on waiting until their Job's deadline: %v\n", err)
	}
	return code, nil
}
