package embedded

import (
	"context"
	"errors"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
)

// Cluster is never there: envtest does not compile on Windows, where nothing but recordings and reports is looked at.
type Cluster struct{ cluster.Cluster }

// Start fails.
func Start(context.Context, Options) (*Cluster, error) { return nil, errors.ErrUnsupported }

// Ended returns nothing.
func (*Cluster) Ended() string { return "" }
