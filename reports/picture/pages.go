package picture

import "slices"

// Pages cuts the picture into parts of at most so many steps, one after the other, for where a line cannot be longer. A node of which a part shows
// no pod is left out of it, unless the whole picture shows none either. The parts share nothing with the picture that they could change. None for nil.
func (p *Picture) Pages(steps int) []*Picture {
	if p == nil {
		return nil
	}
	var pages []*Picture
	for from := 0; from < len(p.Steps); from += steps {
		pages = append(pages, p.page(from, min(len(p.Steps), from+steps)))
	}
	return pages
}

func (p *Picture) page(from, to int) *Picture {
	page := &Picture{Steps: slices.Clone(p.Steps[from:to])}
	for _, node := range p.Nodes {
		part := Node{Name: node.Name, Older: node.Older, Alike: node.Alike}
		for _, lane := range node.Lanes {
			lane.Life = lane.Life[from:to]
			if slices.ContainsFunc([]byte(lane.Life), func(letter byte) bool { return Stage(letter) != Absent }) {
				part.Lanes = append(part.Lanes, lane)
			}
		}
		if len(part.Lanes) > 0 || len(node.Lanes) == 0 {
			page.Nodes = append(page.Nodes, part)
		}
	}
	for _, mark := range p.Marks {
		if mark.Step >= from && mark.Step < to {
			mark.Step -= from
			page.Marks = append(page.Marks, mark)
		}
	}
	if len(page.Nodes) == 0 && len(p.Nodes) > 0 {
		page.Nodes = []Node{{Name: p.Nodes[0].Name}}
	}
	return page
}
