package file

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fairshare/cmd/internal/diag"
)

// Bounds on what is kept of an archive in memory, and on what is passed through.
const (
	mostBegin  = 72 << 10  // of a long member, before anybody asks for it: what Begin wants, with some room
	mostBegins = 128 << 20 // of all members
	mostWhole  = 8 << 20   // of a member that is kept before anybody asks for it, so that no second pass is needed
	mostWholes = 64 << 20  // of all members that are
	mostMember = 64 << 20  // of a member that is kept since somebody has asked for it, but did not say so with Hold
	mostHeld   = 3 << 30   // of all that somebody has asked for, and of a stream that is kept as it came
	maxMembers = 1 << 20
	maxStream  = 256 << 30
)

// headerSize is that of the header with which an archive begins.
const headerSize = 512

// isArchive reports whether a tar archive begins with a header, as it does where
// the header's checksum is right.
func isArchive(header []byte) bool {
	const at, length = 148, 8
	if len(header) < headerSize || header[0] == 0 {
		return false
	}
	sum, err := strconv.ParseUint(strings.Trim(string(header[at:at+length]), " \x00"), 8, 32)
	for i, b := range header[:headerSize] {
		if i >= at && i < at+length {
			b = ' '
		}
		sum -= uint64(b)
	}
	return err == nil && sum == 0
}

// archive is what is in a tar archive. It implements fs.FS.
type archive struct {
	again   func() (io.ReadCloser, error) // opens it once more
	members []*member                     // in the archive's order, but for folders
	byPath  map[string]*member            // folders too

	mu   sync.Mutex
	idle *pass // nil for none
	sum  int64 // of what is held since somebody has asked for it
}

// member is a file of an archive, a folder, or a link.
type member struct {
	path  string
	mode  fs.FileMode
	link  string // to what it leads, "" if it is no link
	size  int64
	at    int     // its number among the archive's headers
	held  content // its begin, or all of it
	isCut bool    // whether the archive ends in it
	isTop bool    // whether the link is named from the top, as hard ones are

	isTwice bool // whether another one of its path comes later, which does not count

	entries []*member // of a folder
}

// index passes through an archive, from its begin to its end, and notes what is in it. It keeps members of up to
// some size whole. Remarks tell what is wrong with it.
func (a *archive) index(name string, whole int64, plain *bufio.Reader) (remarks []diag.Remark, isCut bool) {
	stream := &tail{r: io.LimitReader(plain, maxStream)}
	t := tar.NewReader(stream)
	var m *member // the one before
	from := int64(0)
	begins := int64(0)
	for at := 0; !isCut; at++ {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if isCut = err != nil || len(a.byPath) > maxMembers; err == nil && isCut {
			remarks = append(remarks, diag.Cutf("%s has more than %d files and folders: the rest is not read", name, maxMembers))
			break
		}
		if err != nil {
			if m != nil && m.mode.IsRegular() && from+m.size > stream.count {
				m.size, m.isCut = max(m.held.size(), stream.count-from), true
			}
			remarks = append(remarks, diag.Cutf("%s is cut off or damaged, its rest is lost: %v", name, err))
			break
		}
		m = &member{path: path.Clean(strings.TrimLeft(header.Name, "/")), mode: header.FileInfo().Mode(), size: header.Size, at: at}
		switch header.Typeflag {
		case tar.TypeLink:
			m.link, m.mode, m.isTop = path.Clean(strings.TrimLeft(header.Linkname, "/")), fs.ModeSymlink, true
		case tar.TypeSymlink:
			m.link = header.Linkname
		}
		from = stream.count
		if m.mode.IsRegular() && m.size > 0 && begins < mostBegins {
			most := int64(mostBegin)
			if m.size <= whole && begins+m.size <= mostWholes {
				most = m.size
			}
			begin := make([]byte, min(m.size, most))
			n, _ := io.ReadFull(t, begin) // what is wrong is told by the next header
			m.held = content{begin[:n:n]}
			begins += int64(n)
		}
		a.add(m)
	}
	// To the end, where a packed archive has its checksum.
	if _, err := io.Copy(io.Discard, stream); err != nil && !isCut {
		remarks = append(remarks, diag.Cutf("%s is cut off or damaged: %v", name, err))
	} else if err == nil && stream.zeros < endOfArchive && !isCut {
		remarks = append(remarks, diag.Damagef("%s has no end as archives have: it may be cut off", name))
	}
	return remarks, isCut
}

// add adds a member and the folders above it, unless there is one of its path that is no folder.
func (a *archive) add(m *member) {
	if before := a.byPath[m.path]; before != nil {
		before.isTwice = before.isTwice || !m.mode.IsDir() || !before.mode.IsDir()
		return
	}
	if !m.mode.IsDir() {
		a.members = append(a.members, m)
	}
	a.byPath[m.path] = m
	for dir := path.Dir(m.path); m.path != "."; dir = path.Dir(dir) {
		folder := a.byPath[dir]
		isNew := folder == nil
		if isNew {
			folder = &member{path: dir, mode: fs.ModeDir | 0o555}
			a.byPath[dir] = folder
		}
		folder.entries = append(folder.entries, m)
		if m = folder; !isNew {
			break
		}
	}
}

// endOfArchive is how many zeros end a tar archive.
const endOfArchive = 1024

// tail is a reader that counts what was read, and the zeros at its end.
type tail struct {
	r     io.Reader
	count int64
	zeros int
}

// Read implements io.Reader.
func (w *tail) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	w.count += int64(n)
	if trailing := n - len(bytes.TrimRight(p[:n], "\x00")); trailing < n {
		w.zeros = trailing
	} else {
		w.zeros += n
	}
	return n, err
}

// record is a reader that keeps what was read, as long as it is on.
type record struct {
	r    io.Reader
	isOn bool
	read content
	size int64
}

// Read implements io.Reader.
func (r *record) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.isOn {
		r.read = append(r.read, bytes.Clone(p[:n]))
		if r.size += int64(n); r.size > mostHeld {
			return 0, fmt.Errorf("an archive that is no file has %d bytes at most", int64(mostHeld))
		}
	}
	return n, err
}

// content is bytes in pieces.
type content [][]byte

func (c content) size() (n int64) {
	for _, piece := range c {
		n += int64(len(piece))
	}
	return n
}

// reader returns a reader of a content.
func (c content) reader() io.Reader {
	readers := make([]io.Reader, len(c))
	for i, piece := range c {
		readers[i] = bytes.NewReader(piece)
	}
	return io.MultiReader(readers...)
}

// errElsewhere is of a link that leads out of an archive, or to nothing.
var errElsewhere = errors.New("pack the files themselves (tar --dereference --hard-dereference)")

// find returns the member at a path, or that to which a link leads.
func (a *archive) find(op, name string) (*member, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	const most = 8 // links that lead to one another
	at := name
	for range most {
		m := a.byPath[at]
		switch {
		case m == nil && at == name:
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		case m == nil:
			return nil, &fs.PathError{Op: op, Path: name, Err: errElsewhere}
		case m.link == "":
			return m, nil
		case m.isTop || path.IsAbs(m.link):
			at = m.link
		default:
			at = path.Join(path.Dir(at), m.link)
		}
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: errElsewhere}
}

// Stat implements fs.StatFS.
func (a *archive) Stat(name string) (fs.FileInfo, error) {
	m, err := a.find("stat", name)
	if err != nil {
		return nil, err
	}
	return info{m}, nil
}

// Lstat implements fs.ReadLinkFS.
func (a *archive) Lstat(name string) (fs.FileInfo, error) {
	if m := a.byPath[name]; m != nil {
		return info{m}, nil
	}
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
}

// ReadLink implements fs.ReadLinkFS.
func (a *archive) ReadLink(name string) (string, error) {
	if m := a.byPath[name]; m != nil && m.link != "" {
		return m.link, nil
	}
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFS.
func (a *archive) ReadDir(name string) ([]fs.DirEntry, error) {
	m, err := a.find("open", name)
	if err == nil && !m.mode.IsDir() {
		err = &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	if err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, len(m.entries))
	for i, e := range m.entries {
		entries[i] = fs.FileInfoToDirEntry(info{e})
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// info implements fs.FileInfo.
type info struct{ *member }

func (i info) Name() string       { return path.Base(i.path) }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
