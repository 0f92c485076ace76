package golden

import "testing"

func TestShortenedTextHasNeitherNumbersNorRandomUIDs(t *testing.T) {
	const (
		whole = `{"n":1,"header":{}}
{"n":2,"kind":"Pod","uid":"cf5093f3-848d-4aa1-944f-1fd34e39bf3b","owner":"f2cd71f9-b184-442a-a6a2-af7447c90adc"}
{"n":3,"uid":"cf5093f3-848d-4aa1-944f-1fd34e39bf3b","n":2}
`
		short = `{"header":{}}
{"kind":"Pod","uid":"00000000-0000-0000-0000-000000000000","owner":"00000001-0000-0000-0000-000000000000"}
{"uid":"00000000-0000-0000-0000-000000000000","n":2}
`
	)
	if got := string(shorten([]byte(whole))); got != short {
		t.Errorf("shortened: got\n%s, want\n%s", got, short)
	}
}
