// Package job runs the shards of a run in a cluster, each in a pod of an Indexed Job, and fetches their results: no registry that rollcall writes to, no storage that
// pods share. A pod whose run is over waits until its results were fetched, by a command that is executed in it.
package job

// The paths in the image and in its containers, which fixtures/job has too.
const (
	// Program is rollcall itself.
	Program = "/rollcall"
	// CacheHome is XDG_CACHE_HOME.
	CacheHome = "/cache"
	// ImplementationFolder holds the implementation file, and what it names.
	ImplementationFolder = "/implementation"
	// ImplementationFile is read by every shard.
	ImplementationFile = ImplementationFolder + "/implementation.yaml"
	// Results is a volume.
	Results = "/results"
)

// The commands of rollcall that are called in containers.
const (
	// ShardCommand runs the shard of the pod's index, and waits until the results were fetched.
	ShardCommand = "shard-in-job"
	// ResultsCommand writes the results to standard output, as a tar archive that gzip packed.
	ResultsCommand = "shard-results"
	// FetchedFlag has ResultsCommand say that they have arrived, instead.
	FetchedFlag = "-fetched"
)

// ExitRunning is the exit code of ResultsCommand while the run goes on: try again later.
const ExitRunning = 75

// IndexVariable has the index of a pod of an Indexed Job, from 0.
const IndexVariable = "JOB_COMPLETION_INDEX"
