package picture_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/reports/picture"
)

func TestPagesTogetherAreThePicture(t *testing.T) {
	t.Parallel()
	p := small()
	pages := p.Pages(3)
	if len(pages) != 2 || len(pages[0].Steps) != 3 || len(pages[1].Steps) != 1 {
		t.Fatalf("got %d pages", len(pages))
	}
	lives := map[string]string{}
	marks := 0
	for _, page := range pages {
		if err := page.Check(); err != nil {
			t.Error(err)
		}
		for _, lane := range page.Nodes[0].Lanes {
			lives[lane.Pod] += lane.Life
		}
		marks += len(page.Marks)
	}
	if lives["agent-a"] != "AAtt" || lives["agent-b"] != "_prR" || marks != 1 {
		t.Errorf("got lives %v, %d marks", lives, marks)
	}
	var none *picture.Picture
	if none.Pages(3) != nil {
		t.Error("nothing has pages")
	}
}
