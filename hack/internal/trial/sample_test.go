package trial

import (
	"slices"
	"testing"
)

func TestASampleIsDrawnByItsSeed(t *testing.T) {
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	three, five := Sample(all, 3, 7), Sample(all, 5, 7)
	if len(three) != 3 || !slices.Equal(three, five[:3]) {
		t.Errorf("three of seed 7: %v, five: %v", three, five)
	}
	if again := Sample(all, 5, 7); !slices.Equal(again, five) {
		t.Errorf("five of seed 7 once more: %v, want %v", again, five)
	}
	if other := Sample(all, 5, 8); slices.Equal(other, five) {
		t.Errorf("five of seed 8 are those of seed 7: %v", other)
	}
	if most := Sample(all, 20, 7); len(most) != len(all) {
		t.Errorf("20 of %d: %v", len(all), most)
	}
}
