package trial

import (
	"slices"
	"testing"
)

func TestASampleIsDrawnByItsSeed(t *testing.T) {
	itself := func(name string) string { return name }
	all := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	three, five := Sample(all, 3, 7, itself), Sample(all, 5, 7, itself)
	if len(three) != 3 || !slices.Equal(three, five[:3]) {
		t.Errorf("three of seed 7: %v, five: %v", three, five)
	}
	if again := Sample(all, 5, 7, itself); !slices.Equal(again, five) {
		t.Errorf("five of seed 7 once more: %v, want %v", again, five)
	}
	if other := Sample(all, 5, 8, itself); slices.Equal(other, five) {
		t.Errorf("five of seed 8 are those of seed 7: %v", other)
	}
	if most := Sample(all, 20, 7, itself); len(most) != len(all) {
		t.Errorf("20 of %d: %v", len(all), most)
	}
	more := Sample(append([]string{"another"}, all...), 5, 7, itself)
	without := slices.DeleteFunc(slices.Clone(more), func(name string) bool { return name == "another" })
	if !slices.Equal(without, five[:len(without)]) {
		t.Errorf("with one more to draw from: %v, want those of %v, or the new one in the place of the last", more, five)
	}
}
