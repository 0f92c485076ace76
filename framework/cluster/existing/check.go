package existing

import (
	"context"
	"fmt"
)

// Unsuitable is the error of a cluster that cannot be used until its owner changes something: the text says what.
type Unsuitable struct{ error }

func unsuitable(format string, args ...any) error { return Unsuitable{fmt.Errorf(format, args...)} }

// Check looks at the cluster, and changes nothing. Its error is Unsuitable if the cluster answers and cannot be used as the options say. Start looks again,
// and closer.
func Check(ctx context.Context, options Options) error {
	_, err := inspect(ctx, options)
	return err
}

// inspect connects to the cluster and looks whether it can be used.
func inspect(ctx context.Context, options Options) (_ *Cluster, err error) {
	c := &Cluster{options: options}
	defer func() {
		if err != nil {
			err = fmt.Errorf("context %s: %w", options.Config.CurrentContext, err)
		}
	}()
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	// First: such a node may be one of those set aside, and is not to be mended to be one.
	if err := c.checkSimulatedLabels(ctx); err != nil {
		return nil, err
	}
	if _, err := c.fitNodes(ctx); err != nil {
		return nil, err
	}
	if options.Simulate {
		return c, c.noOtherKWOK(ctx)
	}
	return c, nil
}
