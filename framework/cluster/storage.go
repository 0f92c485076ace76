package cluster

// Storage is implemented by clusters whose etcd can be reached. What is written there goes past the API server, which is how to bring about objects that it
// has stored long ago and would not accept today.
type Storage interface {
	// StorageURL is where etcd serves its API as JSON, for example "http://127.0.0.1:2379".
	StorageURL() string
}
