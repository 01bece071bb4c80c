package file

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"fairshare/cmd/internal/diag"
)

// Tree is what a name leads to: a folder, an archive, or a file of its own. It is opened once, and its
// files are read when somebody asks for them.
//
// A tar archive, packed or not, is passed through once to find what is in it. Members of up to 8 MB are kept, in 64 MB
// of all, and of the others the begin, which tells what they are. One of those that is asked for is found by passing
// through the archive again, or further, if the member stands behind the one that was read last: several are best read
// in the order of Files. What Source and Hold have read once is kept in bounds, and costs no further pass. What nobody
// asks for costs the time of passing it, and no memory beyond these bounds. An archive that cannot be opened again, such
// as standard input, is kept as it came, packed.
type Tree struct {
	Name    string
	FS      fs.FS         // nil for a file of its own
	Remarks []diag.Remark // on what of an archive is cut off or damaged; see Twice
	IsCut   bool          // whether an archive is cut off or damaged, so that files of it are lost
	Single  Source        // the file of its own, not given for a folder or an archive
	First   []byte        // how that begins, unpacked

	archive *archive // nil for all others
	stream  bool     // whether a file of its own can be read once alone
	heads   heads    // the begins of files that have been asked for

	listings listings // of folders that have been asked about
}

// mostFirst is how much of a file of its own First is at most.
const mostFirst = 64 << 10

// OpenTree returns the tree of a name.
func OpenTree(name string) (*Tree, error) { return openTree(name, mostWhole) }

// openTree returns the tree of a name. Members of an archive that have at most so many bytes are kept at once.
func openTree(name string, whole int64) (*Tree, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err == nil && info.IsDir():
		f.Close()
		return &Tree{Name: name, FS: os.DirFS(name)}, nil
	case err != nil || !info.Mode().IsRegular():
		return readTree(name, f, whole) // a pipe, which stays open until the program ends
	}
	defer f.Close()
	plain, first, err := Begin(name, f, mostFirst)
	switch {
	case err != nil:
		return nil, err
	case isArchive(first):
		return indexed(name, whole, plain, At(name).Open)
	}
	return &Tree{Name: name, Single: At(name), First: bytes.Clone(first)}, nil
}

// ReadTree returns the tree of a stream. A file of its own can be read once then.
func ReadTree(name string, r io.Reader) (*Tree, error) { return readTree(name, r, mostWhole) }

func readTree(name string, r io.Reader, whole int64) (*Tree, error) {
	came := &record{r: r, isOn: true}
	plain, first, err := Begin(name, came, mostFirst)
	switch {
	case err != nil:
		return nil, err
	case isArchive(first):
		return indexed(name, whole, plain, func() (io.ReadCloser, error) { return io.NopCloser(came.read.reader()), nil })
	}
	came.isOn, came.read = false, nil
	open := func() (io.ReadCloser, error) { return io.NopCloser(plain), nil }
	return &Tree{Name: name, Single: Source{Name: name, Open: open}, First: bytes.Clone(first), stream: true}, nil
}

// TreeOf returns a tree of texts by their paths.
func TreeOf(name string, texts map[string][]byte) *Tree {
	a := &archive{byPath: map[string]*member{}}
	for at, text := range texts {
		a.add(&member{path: at, size: int64(len(text)), held: content{text}})
	}
	return &Tree{Name: name, FS: a, archive: a}
}

// indexed returns the tree of an archive.
func indexed(name string, whole int64, plain *bufio.Reader, again func() (io.ReadCloser, error)) (*Tree, error) {
	a := &archive{again: again, byPath: map[string]*member{}}
	remarks, isCut := a.index(name, whole, plain)
	return &Tree{Name: name, FS: a, Remarks: remarks, IsCut: isCut, archive: a}, nil
}

// IsWhole reports whether First is all of a file of its own.
func (t *Tree) IsWhole() bool { return len(t.First) < mostFirst }

// Whole returns the text of a file of its own, unpacked; ok is false for one that cannot be read, or has more than so many bytes. What can be
// read once can be read once more afterwards, and as often as is wanted where it is whole.
func (t *Tree) Whole(most int64) (text string, ok bool) {
	if t.FS != nil {
		return "", false
	}
	if t.IsWhole() {
		return string(t.First), true
	}
	in, err := t.Single.Open()
	if err != nil {
		return "", false
	}
	plain, _, err := Begin(t.Name, in, mostFirst)
	if err != nil {
		in.Close()
		return "", false
	}
	all, err := io.ReadAll(io.LimitReader(plain, most+1))
	ok = err == nil && int64(len(all)) <= most
	if t.stream && ok {
		t.Single.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(all)), nil }
	} else if t.stream {
		rest := io.MultiReader(bytes.NewReader(all), plain)
		t.Single.Open = func() (io.ReadCloser, error) { return io.NopCloser(rest), nil }
	} else {
		in.Close()
	}
	return string(all), ok
}

// Stream returns all of a file of its own, unpacked, or of an archive as it came.
func (t *Tree) Stream() (io.ReadCloser, error) {
	if t.archive != nil {
		return t.archive.again()
	}
	return t.Single.Open()
}

// IsArchive reports whether it is an archive, and neither a folder nor a file of its own.
func (t *Tree) IsArchive() bool { return t.archive != nil }

// Join returns the name of a file of the tree, for messages.
func (t *Tree) Join(at string) string { return path.Join(t.Name, at) }

// Source returns a file of the tree. It is named as a file on disk is.
func (t *Tree) Source(at string) Source {
	open := func() (io.ReadCloser, error) { return t.FS.Open(at) }
	if t.archive != nil {
		open = func() (io.ReadCloser, error) { return t.archive.open(at, true) }
	}
	return Source{Name: t.Join(at), Member: at, Open: open}
}

// Sources returns files that will be read in some other order than that of an archive, or more than once: when the
// first of them is opened, all are read in one pass.
func (t *Tree) Sources(paths []string) []Source {
	hold := sync.OnceFunc(func() { t.Hold(paths) })
	var list []Source
	for _, at := range paths {
		from := t.Source(at)
		open := from.Open
		from.Open = func() (io.ReadCloser, error) {
			hold()
			return open()
		}
		list = append(list, from)
	}
	return list
}

// Beside returns the folder in which a file of the tree stands, or the file of its own that the tree is; the zero Dir where that is
// none on disk.
func (t *Tree) Beside(at string) Dir {
	if t.FS != nil {
		within, err := fs.Sub(t.FS, path.Dir(at))
		if err != nil {
			return Dir{}
		}
		return Dir{Name: t.Join(path.Dir(at)), FS: within}
	}
	if info, err := os.Stat(t.Name); err != nil || !info.Mode().IsRegular() {
		return Dir{}
	}
	return DirAt(filepath.Dir(t.Name))
}

// Twice says, of a file that somebody uses, that an archive has another one of its path.
func (t *Tree) Twice(at string) []diag.Remark {
	if t.archive == nil || t.archive.byPath[at] == nil || !t.archive.byPath[at].isTwice {
		return nil
	}
	return []diag.Remark{diag.Damagef("%s is there twice, the first one counts", t.Join(at))}
}

// Hold reads files that will be read in some other order than that of an archive, in one pass.
// What fails is told when they are read.
func (t *Tree) Hold(paths []string) {
	if t.archive != nil {
		t.archive.hold(paths)
	}
}

// deepest is how many folders of a folder stand above its files at most.
const deepest = 3

// Files yields the paths of all files, links to files among them, with an error for one that cannot be
// read: those of an archive in its order, those of a folder sorted, and neither those that are deeper
// in it than in three folders, nor pipes and the like.
func (t *Tree) Files() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		each := func(at string, err error) error {
			switch isFile, wrong := t.isFile(at); {
			case err == nil && wrong == nil && !isFile:
			case !yield(at, errors.Join(err, wrong)):
				return fs.SkipAll
			}
			return nil
		}
		if t.archive != nil {
			for _, m := range t.archive.members {
				if each(m.path, nil) != nil {
					return
				}
			}
			return
		}
		_ = fs.WalkDir(t.FS, ".", func(at string, e fs.DirEntry, err error) error {
			switch {
			case err != nil && e == nil, err != nil && e.IsDir():
				if !yield(at, fmt.Errorf("cannot be read: %w", Cause(err))) {
					return fs.SkipAll
				}
				return nil
			case e.IsDir() && strings.Count(at, "/") >= deepest:
				return fs.SkipDir
			case e.IsDir():
				return nil
			}
			return each(at, err)
		})
	}
}

// isFile reports whether there is a regular file, or a link to one, at a path.
func (t *Tree) isFile(at string) (bool, error) {
	info, err := fs.Stat(t.FS, at)
	if err == nil {
		return info.Mode().IsRegular(), nil
	}
	if why := t.WhyNot(at); why != "" {
		return false, fmt.Errorf("is %s", why)
	}
	return false, fmt.Errorf("cannot be read: %w", Cause(err))
}

// WhyNot says what stands at a path that is no file and no link to one, and is not read therefore;
// "" for a file, and where nothing is.
func (t *Tree) WhyNot(at string) string {
	info, err := fs.Stat(t.FS, at)
	kind := ""
	if err == nil {
		kind = kindOf(info.Mode())
	}
	target, isLink := fs.ReadLink(t.FS, at)
	switch {
	case isLink == nil && err != nil:
		return fmt.Sprintf("a link to %s and not read: %v", target, Cause(err))
	case isLink == nil && kind != "":
		return fmt.Sprintf("a link to %s and not read: that is %s", target, kind)
	case kind != "":
		return kind + " and not read"
	}
	return ""
}

// kindOf says what is no regular file, "" of one.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// Cause returns an error without the path, which is named already.
func Cause(err error) error {
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return wrong.Err
	}
	return err
}
