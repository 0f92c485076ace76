package requirements

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rollcall-conformance/rollcall/reports"
)

func loaded(t *testing.T) *Catalogue {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatalf("loading the embedded catalogue: %v", err)
	}
	return c
}

// documentedTotal is how many requirements were drawn from the design documents, and from what they leave out; their IDs are for ever.
const documentedTotal = 357

// documentedSizes and addedSizes are the numbers of requirements by family.
var (
	documentedSizes = map[string]int{
		"API": 22, "AVAIL": 7, "SURGE": 26, "PAUSE": 8, "UNREADY": 11, "DRAIN": 9, "HOSTPORT": 12, "GATE": 10,
		"ROLLING": 20, "ONDELETE": 5, "ROLLOVER": 5, "ROLLBACK": 4, "STATUS": 16, "COND": 5, "HISTORY": 28,
		"TARGET": 10, "RECOVERY": 7, "STRESS": 1, "KUBECTL": 3, "INPLACE": 30, "PDBAPI": 15, "PDB": 35, "EVICT": 36,
		"CROSS": 6, "UNITED": 26,
	}
	addedSizes = map[string]int{"TAKEOVER": 5, "KUBELET": 11}
	// addedTo are those that rollcall adds to families of the documents, behind theirs.
	addedTo = map[string]int{"API": 1, "HISTORY": 1, "INPLACE": 8, "UNITED": 15, "RECOVERY": 8}
)

func TestTheCatalogueHoldsEveryRequirementOfTheDocuments(t *testing.T) {
	sizes, total := maps.Clone(documentedSizes), documentedTotal
	for family, more := range addedTo {
		sizes[family] += more
		total += more
	}
	holdsExactly(t, documented(), sizes, total)
}

func TestTheCatalogueHoldsWhatRollcallAdds(t *testing.T) {
	total := 0
	for _, size := range addedSizes {
		total += size
	}
	holdsExactly(t, added(), addedSizes, total)
	for _, more := range addedTo {
		total += more
	}
	if got := len(loaded(t).All()); got != documentedTotal+total {
		t.Errorf("the catalogue has %d requirements, want the documents' %d and %d added", got, documentedTotal, total)
	}
}

// holdsExactly asserts that the families have those sizes and are numbered from 1 without a gap, so that the sizes are the IDs.
func holdsExactly(t *testing.T, families []string, sizes map[string]int, total int) {
	t.Helper()
	c := loaded(t)
	if len(families) != len(sizes) {
		t.Errorf("there are %d families, want %d", len(families), len(sizes))
	}
	got := 0
	for _, family := range families {
		rows := c.Family(family)
		got += len(rows)
		if len(rows) != sizes[family] {
			t.Errorf("family %s has %d requirements, want %d: addedTo counts those that are added to a family of the documents", family, len(rows), sizes[family])
		}
		for i, r := range rows {
			if want := ID(fmt.Sprintf("%s-%03d", family, i+1)); r.ID != want {
				t.Errorf("no. %d of family %s is %s, want %s", i+1, family, r.ID, want)
			}
		}
	}
	if got != total {
		t.Errorf("they hold %d requirements, want %d", got, total)
	}
}

func TestOnlyTheDocumentsMakeARequirementCore(t *testing.T) {
	c := loaded(t)
	for _, family := range added() {
		for _, r := range c.Family(family) {
			if r.Level == reports.LevelCore {
				t.Errorf("%s is core, but no document states it", r.ID)
			}
		}
	}
}

func TestAllKeepsTheOrderOfFamiliesAndNumbers(t *testing.T) {
	var want []ID
	c := loaded(t)
	for _, family := range Families() {
		for _, r := range c.Family(family) {
			want = append(want, r.ID)
		}
	}
	var got []ID
	for _, r := range c.All() {
		got = append(got, r.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("All returns %v, want the families in order: %v", got, want)
	}
}

func TestGetFindsWhatAllLists(t *testing.T) {
	c := loaded(t)
	for _, want := range c.All() {
		got, ok := c.Get(want.ID)
		if !ok || got.Statement != want.Statement {
			t.Errorf("Get(%s) = %q, %v, want %q", want.ID, got.Statement, ok, want.Statement)
		}
	}
	if r, ok := c.Get("SURGE-999"); ok {
		t.Errorf("Get finds %v under an ID that is not in the catalogue", r)
	}
}

func TestEveryFeatureHasRequirements(t *testing.T) {
	size := map[Feature]int{}
	for _, r := range loaded(t).All() {
		size[r.Feature]++
	}
	for _, feature := range Features() {
		if size[feature] == 0 {
			t.Errorf("no requirement belongs to feature %s, so that claiming it promises nothing", feature)
		}
	}
}

func TestCoreRequirementsAreStatedOrSayWhichStatedOneDependsOnThem(t *testing.T) {
	stated := regexp.MustCompile(`[A-Z]+-[0-9]{3}`)
	c := loaded(t)
	for _, r := range c.All() {
		if r.Level != reports.LevelCore || !r.Inferred {
			continue
		}
		names := stated.FindAllString(r.LevelReason, -1)
		if len(names) == 0 {
			t.Errorf("%s is core by inference, but its reason names no requirement: %q", r.ID, r.LevelReason)
		}
		for _, name := range names {
			if named, ok := c.Get(ID(name)); !ok || named.Inferred {
				t.Errorf("%s is core because of %s, which no document states", r.ID, name)
			}
		}
	}
}

func TestRequirementsNamedInTheTextExist(t *testing.T) {
	reference := regexp.MustCompile(`\b[A-Z]+-[0-9]{3}\b`)
	c := loaded(t)
	for _, r := range c.All() {
		for _, text := range []string{r.LevelReason, r.Statement, r.Decision, r.Kubernetes.Note} {
			for _, name := range reference.FindAllString(text, -1) {
				if err := c.Unknown(ID(name)); err != nil {
					t.Errorf("%s: %q: %v", r.ID, text, err)
				}
			}
		}
	}
}

func TestADifferenceFromKubernetesIsExplained(t *testing.T) {
	for _, r := range loaded(t).All() {
		if b := r.Kubernetes.Behaviour; (b == reports.Differs || b == reports.Partially) && r.Kubernetes.Note == "" {
			t.Errorf("%s: Kubernetes %s, but no note says how", r.ID, b)
		}
	}
}

func TestTheDigestFollowsTheContentAndNotTheLayout(t *testing.T) {
	digest := func(file string) string {
		t.Helper()
		c, err := load(fstest.MapFS{"catalogue/api.yaml": {Data: []byte(file)}}, []string{"API"})
		if err != nil {
			t.Fatal(err)
		}
		return c.Digest()
	}
	original := digest(soundRow)
	if laidOut := digest("# a comment\n" + soundRow + "\n"); laidOut != original {
		t.Errorf("a comment and a blank line changed the digest from %s to %s", original, laidOut)
	}
	if reworded := digest(strings.Replace(soundRow, "accepted", "rejected", 1)); reworded == original {
		t.Errorf("another statement left the digest at %s", original)
	}
	if again := loaded(t).Digest(); again != loaded(t).Digest() || !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(again) {
		t.Errorf("the digest %s is not a stable sha256", again)
	}
}

func TestARequirementIsReportedWithItsSourcesAsWritten(t *testing.T) {
	r, _ := loaded(t).Get("API-003")
	got, err := json.Marshal(r.Sources)
	if err != nil {
		t.Fatal(err)
	}
	if want := `["S0 L57","S2 L264"]`; string(got) != want {
		t.Errorf("the sources of API-003 are written as %s, want %s", got, want)
	}
}

func TestEveryRequirementHasATitleOfItsOwnInItsFamily(t *testing.T) {
	named := map[string]ID{}
	for _, r := range loaded(t).All() {
		key := r.ID.Family() + " " + r.Title
		if other, taken := named[key]; taken || r.Title == "" {
			t.Errorf("%s has the title %q, which %q has too, or none", r.ID, r.Title, other)
		}
		named[key] = r.ID
	}
}
