package rollouts

// Rounding is how many of the nodes a limit allows that is a percentage of them.
type Rounding struct {
	Nodes      int
	Percentage string
	Allowed    int
}

// Roundings are the cases of SURGE-003 and ROLLING-003: percentages are rounded up.
func Roundings() []Rounding {
	return []Rounding{{10, "25%", 3}, {7, "30%", 3}, {3, "1%", 1}}
}
