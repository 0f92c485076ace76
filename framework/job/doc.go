// Package job writes the manifest of an Indexed Job that runs the shards of a run in a cluster, each in a pod, and fetches their results by commands in the pods.
// It takes no shared storage. A pod whose run is over waits until its results were fetched. It knows nothing of reports and specs.
package job

// The paths in the image and in its containers, which fixtures/job has too.
const (
	// Program is rollcall itself.
	Program = "/rollcall"
	// CacheHome is XDG_CACHE_HOME.
	CacheHome = "/cache"
	// ImplementationFolder holds the implementation file, and what it names.
	ImplementationFolder = "/implementation"
	// ImplementationFile is the implementation file of every shard.
	ImplementationFile = ImplementationFolder + "/implementation.yaml"
	// Results is the volume for what a shard leaves.
	Results = "/results"
)

// The commands of rollcall that are called in containers.
const (
	// ShardCommand runs the shard of the pod's index, and waits until the results were fetched.
	ShardCommand = "shard-in-job"
	// ResultsCommand writes the results to standard output, as a gzipped tar archive.
	ResultsCommand = "shard-results"
	// FetchedFlag makes ResultsCommand note that the results were fetched, and write nothing; the pod then ends.
	FetchedFlag = "-fetched"
)

// ExitRunning is the exit code of ResultsCommand while the run goes on: try again later.
const ExitRunning = 75

// IndexVariable is the environment variable with the index of a pod of an Indexed Job, from 0.
const IndexVariable = "JOB_COMPLETION_INDEX"
