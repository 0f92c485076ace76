package trial

import "testing"

func TestTheMedianOfAnEvenCountIsBetweenTheTwoInTheMiddle(t *testing.T) {
	itself := func(number float64) float64 { return number }
	for _, row := range []struct {
		numbers []float64
		want    float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 4}, 4}, {[]float64{9, 1, 4, 5}, 4.5}} {
		if got := Median(row.numbers, itself); got != row.want {
			t.Errorf("%v: %v, want %v", row.numbers, got, row.want)
		}
	}
}
