// Package redact takes the folders of this machine out of texts that other people are to read.
package redact

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folders are those of a machine that texts must not name.
type Folders []Folder

// Folder is one of them, and what texts say instead of its path.
type Folder struct{ Path, Name string }

// Here returns the working directory, the user's home and cache and the folder for temporary files of this process, and the others. Those without a path, and
// the root of the file system, are left out.
func Here(others ...Folder) Folders {
	all := slices.Clone(others)
	if folder, err := os.UserCacheDir(); err == nil {
		all = append(all, Folder{folder, "CACHE"})
	}
	if folder, err := os.Getwd(); err == nil {
		all = append(all, Folder{folder, "."})
	}
	if folder, err := os.UserHomeDir(); err == nil {
		all = append(all, Folder{folder, "~"})
	}
	all = append(all, Folder{os.TempDir(), "TMPDIR"})
	all = slices.DeleteFunc(all, func(f Folder) bool { return !filepath.IsAbs(f.Path) || filepath.Dir(f.Path) == f.Path })
	// A folder comes before those that it is in; of one that is there twice the first name stays.
	slices.SortStableFunc(all, func(a, b Folder) int { return cmp.Compare(len(b.Path), len(a.Path)) })
	return all
}

// Text returns the text with the names of the folders in the place of their paths.
func (f Folders) Text(text string) string {
	for _, folder := range f {
		text = folder.Text(text)
	}
	return text
}

// Texts is Text of each.
func (f Folders) Texts(texts []string) []string {
	redacted := make([]string, len(texts))
	for i, text := range texts {
		redacted[i] = f.Text(text)
	}
	return redacted
}

// Text returns the text with the folder's name in the place of its path, where that is a whole path or the beginning of one: not in /mnt/root, nor in /rootless.
func (f Folder) Text(text string) string {
	var replaced strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], f.Path)
		if i < 0 {
			replaced.WriteString(text[from:])
			return replaced.String()
		}
		begin, end := from+i, from+i+len(f.Path)
		replaced.WriteString(text[from:begin])
		if begins(text[:begin]) && ends(text[end:]) {
			replaced.WriteString(f.Name)
		} else {
			replaced.WriteString(f.Path)
		}
		from = end
	}
}

// begins reports whether a path can begin behind the text: also behind the // of an address.
func begins(before string) bool {
	return before == "" || strings.HasSuffix(before, "//") || !inName(before[len(before)-1]) && before[len(before)-1] != '/'
}

func ends(behind string) bool {
	return behind == "" || !inName(behind[0]) || behind[0] == '.' && (len(behind) == 1 || !inName(behind[1]))
}

// inName reports whether the byte is one of which names of files are made.
func inName(b byte) bool {
	return b == '.' || b == '-' || b == '_' || b == '~' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}
