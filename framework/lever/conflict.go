package lever

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// OnConflict does it again, up to eleven times in about 2 s, as long as another writer was faster. retry.DefaultBackoff's three more are too few while a
// controller writes the status of the same object many times a second.
func OnConflict(do func() error) error {
	return retry.RetryOnConflict(wait.Backoff{Duration: 10 * time.Millisecond, Factor: 1.5, Jitter: 0.5, Steps: 12}, do)
}
