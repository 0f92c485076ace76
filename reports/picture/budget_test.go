package picture_test

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports/picture"
)

func TestABudgetIsDrawnLikeThis(t *testing.T) {
	t.Parallel()
	const want = `  PodDisruptionBudget web: minAvailable 2
      seconds  healthy  status: healthy  desired  allowed  pods: # healthy, | desired
       -2.000        3                3        2        1  ##|#
       -0.500        3                3        2        0  ##|#  eviction of pod web-a accepted
  >    +0.000        1                3        2        0  # |  eviction of pod web-b accepted
       +0.250        1                1        2        0  # |  eviction of pod web-c refused
`
	budget := picture.Budget{Name: "web", Limit: "minAvailable 2", Instants: []picture.Instant{
		{At: -2 * time.Second, Healthy: 3, Expected: 3, Reported: 3, Desired: 2, Allowed: 1},
		{At: -500 * time.Millisecond, Healthy: 3, Expected: 3, Reported: 3, Desired: 2, Eviction: picture.Accepted, Pod: "web-a"},
		{Healthy: 1, Expected: 3, Reported: 3, Desired: 2, Eviction: picture.Accepted, Pod: "web-b", Broke: true},
		{At: 250 * time.Millisecond, Healthy: 1, Expected: 3, Reported: 1, Desired: 2, Eviction: picture.Refused, Pod: "web-c"},
	}}
	if got := picture.DrawBudget(budget, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := picture.DrawBudget(picture.Budget{Name: "web"}, true); got != "" {
		t.Errorf("a budget of which nothing is known is drawn:\n%s", got)
	}
}
