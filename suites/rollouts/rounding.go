package rollouts

// Rounding is how many of the nodes a limit allows that is a percentage of them.
type Rounding struct {
	Nodes      int
	Percentage string
	Allowed    int
}

// Roundings are the cases of SURGE-003 and ROLLING-003: percentages are rounded up. In binary fractions
// 28% of 25 is more than 7, and what 80% of 5 leaves is less than 1.
func Roundings() []Rounding {
	return []Rounding{{10, "25%", 3}, {7, "30%", 3}, {3, "1%", 1}, {25, "28%", 7}, {5, "80%", 4}}
}
