package file

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fairshare/cmd/internal/workshop"
)

// endless is a reader of one byte again and again.
type endless byte

// Read implements io.Reader.
func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

// packed returns an archive of members, the largest of them of a number of bytes.
func packed(t *testing.T, size int64, headers ...*tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	add := func(h *tar.Header, r io.Reader) {
		h.Mode = 0o644
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(w, r, h.Size); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("0123456789abcdef", 10_000)
	add(&tar.Header{Name: "s/a.txt", Size: 5}, strings.NewReader("first"))
	add(&tar.Header{Name: "s/endless", Size: size}, endless('x'))
	add(&tar.Header{Name: "s/long.txt", Size: int64(len(long))}, strings.NewReader(long))
	add(&tar.Header{Name: "s/d/b.txt", Size: 4}, strings.NewReader("last"))
	for _, h := range headers {
		add(h, nil)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What nobody asks for of an archive takes no memory, however large it is; and what somebody asks for
// without an end to it stops at a bound.
func TestEndless(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.tgz")
	size := int64(1 << 27)
	if workshop.TestsAll() {
		size = 1 << 30
	}
	if err := os.WriteFile(name, packed(t, size), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tree, err := openTree(name, 0)
	if err != nil || len(tree.Remarks) > 0 {
		t.Fatal(tree, err)
	}
	for at, want := range map[string]string{"s/a.txt": "first", "s/d/b.txt": "last", "s/endless": "", "s/long.txt": strings.Repeat("0123456789abcdef", 10_000)} {
		text, err := tree.Source(at).Text(1 << 20)
		var tooLarge *TooLargeError
		if text != want || errors.As(err, &tooLarge) != (at == "s/endless") || err != nil && tooLarge == nil {
			t.Errorf("%s: %.20q %v", at, text, err)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes are allocated", used)
	}
}

// An archive is a file system as its folder is one, from a file and from a stream.
func TestArchive(t *testing.T) {
	links := []*tar.Header{
		{Name: "s/soft", Typeflag: tar.TypeSymlink, Linkname: "d/b.txt"}, {Name: "s/d/hard", Typeflag: tar.TypeLink, Linkname: "s/a.txt"},
		{Name: "s/away", Typeflag: tar.TypeSymlink, Linkname: "/away"}, {Name: "s/again", Typeflag: tar.TypeSymlink, Linkname: "again"},
		{Name: "s/pipe", Typeflag: tar.TypeFifo},
	}
	for _, whole := range []int64{0, mostWhole} { // whether members are kept at once makes no difference
		testArchive(t, packed(t, 100_000, links...), whole)
	}
}

// testArchive reads an archive with links.
func testArchive(t *testing.T, text []byte, whole int64) {
	t.Helper()
	tree, err := readTree("x", bytes.NewReader(text), whole)
	if err != nil || len(tree.Remarks) > 0 {
		t.Fatal(tree, err)
	}
	var files, wrong []string
	for at, err := range tree.Files() {
		if err != nil {
			wrong = append(wrong, at+" "+err.Error())
			continue
		}
		files = append(files, at)
	}
	if want := strings.Fields("s/a.txt s/endless s/long.txt s/d/b.txt s/soft s/d/hard"); !slices.Equal(files, want) {
		t.Error(files)
	}
	const pack = " and not read: pack the files themselves (tar --dereference --hard-dereference)"
	if want := []string{"s/away is a link to /away" + pack, "s/again is a link to again" + pack}; !slices.Equal(wrong, want) {
		t.Error(wrong)
	}
	if why := tree.WhyNot("s/pipe"); why != "a pipe and not read" {
		t.Error(why)
	}
	tree.Hold([]string{"s/long.txt", "s/endless"})
	for range 2 { // the second time what is held
		for at, want := range map[string]string{"s/soft": "last", "s/d/hard": "first", "s/long.txt": strings.Repeat("0123456789abcdef", 10_000)} {
			if text, err := tree.Source(at).Text(1 << 20); text != want || err != nil {
				t.Errorf("%s: %.20q %v", at, text, err)
			}
		}
	}
	if text, err := fs.ReadFile(tree.FS, "s/endless"); len(text) != 100_000 || err != nil {
		t.Error(len(text), err)
	}
	texts := TreeOf("x", map[string][]byte{"a": []byte("1"), "d/e/b": []byte("2")})
	if err := fstest.TestFS(texts.FS, "a", "d/e/b"); err != nil {
		t.Error(err)
	}
}

// Of an archive that is cut off anywhere, what comes before is read, also within a member, and it is told.
func TestCut(t *testing.T) {
	whole := packed(t, 300_000)
	for _, part := range []float64{.05, .3, .5, .7, .9, .999} {
		for _, most := range []int64{0, mostWhole} {
			testCut(t, whole[:int(part*float64(len(whole)))], part, most)
		}
	}
}

// testCut reads a part of an archive.
func testCut(t *testing.T, text []byte, part float64, most int64) {
	t.Helper()
	tree, err := readTree("x", bytes.NewReader(text), most)
	if err != nil {
		return
	}
	if len(tree.Remarks) != 1 || !tree.Remarks[0].IsDamage {
		t.Errorf("%v of it: %v", part, tree.Remarks)
	}
	for at, err := range tree.Files() {
		if err != nil {
			t.Error(at, err)
		}
		info, err := fs.Stat(tree.FS, at)
		text, wrong := fs.ReadFile(tree.FS, at)
		if err != nil || wrong != nil || info.Size() != int64(len(text)) {
			t.Errorf("%v of it: %s has %d bytes, of which %d are read: %v %v", part, at, info.Size(), len(text), err, wrong)
		}
	}
}

// A file that an archive has twice is told of to who uses it; files that are read together are found in one pass.
func TestTwiceAndTogether(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.tar")
	long := strings.Repeat("0123456789abcdef", 10_000)
	if err := os.WriteFile(name, workshop.Archive(t, "s/README", "1", "s/a", long, "s/README", "2", "s/b", long), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := openTree(name, 0)
	if err != nil || len(tree.Remarks) > 0 || len(tree.Twice("s/a"))+len(tree.Twice("s/none")) > 0 {
		t.Fatal(tree, err)
	}
	if said := tree.Twice("s/README"); len(said) != 1 || !said[0].IsDamage {
		t.Error(said)
	}
	opened, again := 0, tree.archive.again
	tree.archive.again = func() (io.ReadCloser, error) {
		opened++
		return again()
	}
	for range 2 {
		for _, from := range tree.Sources([]string{"s/b", "s/a"}) {
			if text, err := from.Text(1 << 20); text != long || err != nil {
				t.Errorf("%s: %.20q %v", from.Name, text, err)
			}
		}
	}
	if opened != 1 {
		t.Errorf("the archive is passed %d times", opened)
	}
}

// A pipe, or an empty file, is a file of its own, of which nothing is lost.
func TestSingle(t *testing.T) {
	for _, text := range []string{"", "x", strings.Repeat("0123456789", 100_000)} {
		tree, err := ReadTree("x", strings.NewReader(text))
		if err != nil || tree.FS != nil || string(tree.First) != text[:min(len(text), mostFirst)] {
			t.Fatal(tree, err)
		}
		if got, err := tree.Single.Text(1 << 20); got != text || err != nil {
			t.Errorf("%d of %d bytes: %v", len(got), len(text), err)
		}
	}
}
