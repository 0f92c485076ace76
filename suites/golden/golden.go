// Package golden keeps recordings as test data: trimmed, shortened, and compressed against a dictionary, since most of what a recording says any other says too.
//
// The dictionary, dictionary.zst in the folder of the recordings, is typical recordings, shortened, one after the other. With another dictionary all recordings must be
// written anew. To look at one: zstd -d dictionary.zst -o /tmp/dictionary; zstd -dc -D /tmp/dictionary RECORDING.
package golden

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

const extension = ".jsonl.zst"

// Corpus is a folder of recordings, with a subfolder for each implementation that was recorded.
type Corpus struct {
	folder     string
	dictionary []byte
}

// Open returns the corpus in a folder. A folder without a dictionary is an error.
func Open(folder string) (*Corpus, error) {
	dictionary, err := decompress(filepath.Join(folder, "dictionary.zst"))
	if err != nil {
		return nil, err
	}
	return &Corpus{folder: folder, dictionary: dictionary}, nil
}

// Names lists the recordings, as IMPLEMENTATION/RECORDING, of the implementations that a pattern of package path matches. None is an error.
func (c *Corpus) Names(implementations string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(c.folder, implementations, "*"+extension))
	if err != nil {
		return nil, fmt.Errorf("list recordings of %s: %w", implementations, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no recordings of %s", c.folder, implementations)
	}
	for i, path := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(path, c.folder+"/"), extension)
	}
	return names, nil
}

// Read returns the recording of a name.
func (c *Corpus) Read(name string) (*history.History, error) {
	text, err := decompress(c.path(name), zstd.WithDecoderDictRaw(0, c.dictionary))
	if err != nil {
		return nil, err
	}
	h, err := history.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read golden recording %s: %w", name, err)
	}
	return h, nil
}

// Write keeps a recording by a name. It trims the history that it is given. The zstd command can make large ones a fifth smaller
// (zstd --ultra -22, with the dictionary, which is compressed itself); they are read all the same.
func (c *Corpus) Write(name string, h *history.History) error {
	trim(h)
	var text bytes.Buffer
	if err := h.Write(&text); err != nil {
		return err
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderDictRaw(0, c.dictionary))
	if err != nil {
		return fmt.Errorf("compress golden recording %s: %w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o755); err != nil {
		return fmt.Errorf("keep golden recording: %w", err)
	}
	if err := os.WriteFile(c.path(name), encoder.EncodeAll(shorten(text.Bytes()), nil), 0o644); err != nil {
		return fmt.Errorf("keep golden recording: %w", err)
	}
	return nil
}

func (c *Corpus) path(name string) string {
	return filepath.Join(c.folder, filepath.FromSlash(name)+extension)
}

func decompress(path string, options ...zstd.DOption) ([]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read golden recordings: %w", err)
	}
	decoder, err := zstd.NewReader(nil, options...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return text, nil
}
