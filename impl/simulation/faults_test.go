package simulation

import "errors"

// Errors that the network makes of a write.
var (
	// errRefused is a write that did not take place.
	errRefused = errors.New("refused")
	// errUnwelcome is a pod that a quota or a policy is against.
	errUnwelcome = errors.New("exceeded quota")
	// errKept is the deletion of a pod that a policy is against.
	errKept = errors.New("not to be deleted")
	// errUnpatched is an update of a pod that a policy is against.
	errUnpatched = errors.New("denied by policy")
	// errNoReply is a write that did, though nobody told.
	errNoReply = errors.New("no reply")
)

// faults spoil some of the controller's writes while they are on.
type faults struct {
	chance chance
	// ever says that they have been on.
	on, ever bool
	writes   int
}

// through carries out one write, or does not.
func (f *faults) through(write func() error) error {
	f.writes++
	switch {
	case f.on && f.chance.percent(30, "refuse", f.writes):
		return errRefused
	case f.on && f.chance.percent(20, "keep silent", f.writes):
		if err := write(); err != nil {
			return err
		}
		return errNoReply
	}
	return write()
}
