package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// A chain makes every line of a recording end in a digest over the line and all before it, as its last field:
//
//	{"n":57,…,"sum":"3f2a9c0d51e6b784"}
//
// so that a line that was changed shows, and where.
const (
	sumBegins = `,"sum":"`
	sumEnds   = `"}`
	sumDigits = 16
)

type chain struct {
	on  bool
	sum [sumDigits]byte
}

func newChain(version string) chain { return chain{on: version == FormatVersion} }

// add returns the line, a JSON object, with the digest.
func (c *chain) add(text []byte) []byte {
	if !c.on {
		return text
	}
	c.advance(text)
	text = append(text[:len(text)-1], sumBegins...)
	text = append(text, c.sum[:]...)
	return append(text, sumEnds...)
}

// follows reports whether the line is the one that was written behind those before. A line with a digest does not belong into a recording without.
func (c *chain) follows(text []byte) bool {
	text = bytes.TrimSuffix(text, []byte("\n"))
	place := len(text) - len(sumBegins) - sumDigits - len(sumEnds)
	if place < 0 || !bytes.HasPrefix(text[place:], []byte(sumBegins)) {
		return !c.on
	}
	if !c.on {
		return false
	}
	sum := text[place+len(sumBegins):][:sumDigits]
	c.advance(text[:place], []byte("}"))
	return bytes.Equal(sum, c.sum[:])
}

func (c *chain) advance(line ...[]byte) {
	hash := sha256.New()
	hash.Write(c.sum[:])
	for _, part := range line {
		hash.Write(part)
	}
	hex.Encode(c.sum[:], hash.Sum(nil)[:sumDigits/2])
}
