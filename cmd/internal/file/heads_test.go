package file

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// counted counts how often each file is opened.
type counted struct {
	fs.FS
	opened map[string]int
}

func (c counted) Open(at string) (fs.File, error) {
	c.opened[at]++
	return c.FS.Open(at)
}

// Stat does not count.
func (c counted) Stat(at string) (fs.FileInfo, error) { return fs.Stat(c.FS, at) }

// What is known of the begins of files makes no difference to the folders that schedulers find, nor to the begins.
func TestHeadsAreKnown(t *testing.T) {
	letters := Commands[string]{Name: "letters", Largest: MostPrinted}
	letters.KindOf = func(text string) string {
		if first, _, _ := strings.Cut(strings.TrimSpace(text), " "); len(first) == 1 && strings.Contains("abc", first) {
			return first
		}
		return ""
	}
	digits := Commands[bool]{Name: "digits", KindOf: func(text string) bool { return strings.HasPrefix(text, "1") }, KeepsHead: func(bool) bool { return true }}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		files := fstest.MapFS{}
		for i := range 1 + random.IntN(12) {
			text := []string{"a x", "b x", "\n\nc x", "\x00\x00a x", "1 x", "12", "", "prose of some kind"}[random.IntN(8)]
			text += strings.Repeat("y", []int{0, 10, MostTelling, mostHeads / 100}[random.IntN(4)])
			files[fmt.Sprintf("%c/f%d", 'm'+rune(random.IntN(3)), i)] = &fstest.MapFile{Data: []byte(text)}
		}
		from := counted{files, map[string]int{}}
		known := &Tree{Name: "site", FS: from}
		for round := range 3 {
			plain := &Tree{Name: "site", FS: files}
			compareFolders(t, letters, known, plain)
			compareFolders(t, digits, known, &Tree{Name: "site", FS: files})
			for at := range plain.Files() {
				got, err := known.Head(at)
				if want, wrong := plain.Source(at).Head(); got != want || err != wrong {
					t.Fatalf("round %d: %s begins with %d bytes, not %d (%v, %v)", round, at, len(got), len(want), err, wrong)
				}
			}
		}
		clear(from.opened)
		if _, err := digits.Folders(known, ""); err != nil {
			t.Fatal(err)
		}
		for at, often := range from.opened {
			if files[at] != nil {
				t.Errorf("%s, of which the begin is known, was opened %d times", at, often)
			}
		}
	}
}

// compareFolders compares what commands find in two trees.
func compareFolders[K comparable](t *testing.T, c Commands[K], one, other *Tree) {
	t.Helper()
	first, err := c.Folders(one, "")
	second, wrong := c.Folders(other, "")
	if err != nil || wrong != nil || len(first.All()) != len(second.All()) {
		t.Fatalf("%d folders, %v, and %d, %v", len(first.All()), err, len(second.All()), wrong)
	}
	for i, a := range first.All() {
		b := second.All()[i]
		if a.Name != b.Name || a.size != b.size || len(a.Parts) != len(b.Parts) || !reflect.DeepEqual(a.passed, b.passed) {
			t.Fatalf("%s: %s has %d files, and %d", c.Name, a.Name, len(a.Parts), len(b.Parts))
		}
		for j, p := range a.Parts {
			if q := b.Parts[j]; p.Name != q.Name || p.Kind != q.Kind || p.Text != q.Text || textOf(t, p.Source) != textOf(t, q.Source) {
				t.Errorf("%s: %s is another than %s", c.Name, p.Name, q.Name)
			}
		}
	}
}

// textOf returns all of a file.
func textOf(t *testing.T, s Source) string {
	t.Helper()
	in, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// No more of the begins is kept than a bound, beyond which they are read anew.
func TestMostHeads(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 2 * mostHeads / MostTelling {
		files[fmt.Sprintf("f%04d", i)] = &fstest.MapFile{Data: []byte(strings.Repeat(fmt.Sprint(i%10), MostTelling+1))}
	}
	tree := &Tree{Name: "site", FS: files}
	for range 2 {
		for at := range tree.Files() {
			if text, err := tree.Head(at); err != nil || len(text) != MostTelling || text[0] != files[at].Data[0] {
				t.Fatalf("%s begins with %d bytes, %v", at, len(text), err)
			}
		}
	}
	if tree.heads.size > mostHeads || tree.heads.size < mostHeads/2 {
		t.Errorf("%d bytes are kept", tree.heads.size)
	}
}
