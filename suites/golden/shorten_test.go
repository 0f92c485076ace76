package golden

import "testing"

func TestShortenedTextHasNeitherNumbersNorRandomNames(t *testing.T) {
	const (
		whole = `{"n":1,"header":{}}
{"n":2,"kind":"Pod","uid":"cf5093f3-848d-4aa1-944f-1fd34e39bf3b","owner":"f2cd71f9-b184-442a-a6a2-af7447c90adc"}
{"n":3,"uid":"cf5093f3-848d-4aa1-944f-1fd34e39bf3b","n":2}
{"n":4,"kind":"Event","name":"daemon.18ebe158e9e50033","message":"created pod daemon-lxn84 for node rolling-003-9a72e4bd-0 beside daemon-6ftwb"}
{"n":5,"kind":"Event","name":"daemon.18ebe15a00000033","message":"deleted pod daemon-lxn84 of daemon-7879fff6f7"}
`
		short = `{"header":{}}
{"kind":"Pod","uid":"00000000-0000-0000-0000-000000000000","owner":"00000001-0000-0000-0000-000000000000"}
{"uid":"00000000-0000-0000-0000-000000000000","n":2}
{"kind":"Event","name":"daemon.0000000000000000","message":"created pod daemon-00000 for node rolling-003-9a72e4bd-0 beside daemon-00001"}
{"kind":"Event","name":"daemon.0000000000000001","message":"deleted pod daemon-00000 of daemon-7879fff6f7"}
`
	)
	if got := string(shorten([]byte(whole))); got != short {
		t.Errorf("shortened: got\n%s, want\n%s", got, short)
	}
}
