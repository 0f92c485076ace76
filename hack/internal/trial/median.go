package trial

import "slices"

// Median returns the median of a number of all things, of which there is at least one: of an even count the mean of the two in the middle.
func Median[T any](all []T, number func(T) float64) float64 {
	numbers := make([]float64, len(all))
	for i, one := range all {
		numbers[i] = number(one)
	}
	slices.Sort(numbers)
	middle := len(numbers) / 2
	if len(numbers)%2 == 0 {
		return (numbers[middle-1] + numbers[middle]) / 2
	}
	return numbers[middle]
}
