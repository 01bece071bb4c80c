package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
)

// Bounds on archives. What is kept of one is kept in memory.
const (
	maxKept   = 3 << 30
	maxPriv   = 1 << 30  // of a file of sched_priv
	maxOther  = 64 << 20 // of a member that is no list of jobs
	maxStream = 256 << 30
)

// mostOf returns how much of a member is read at most.
func mostOf(member string) int64 {
	_, isJobs := rankOfJobs(member)
	switch {
	case isJobs:
		return maxKept
	case isPriv(member):
		return maxPriv
	}
	return maxOther
}

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
	for i, b := range header {
		if i >= at && i < at+length {
			b = ' '
		}
		sum -= uint64(b)
	}
	return err == nil && sum == 0
}

// readArchive reads a tar archive once, from its begin to its end, and keeps what
// belongs to the layout.
func readArchive(name string, r io.Reader) (*Snapshot, error) {
	files := archive{}
	s := &Snapshot{Name: name, files: files}
	var tops []string // what stands before the layout's paths
	kept := int64(0)
	stream := &watched{r: io.LimitReader(r, maxStream)}
	for t := tar.NewReader(stream); ; {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.remark(diag.Cutf("%s is cut off or damaged, its rest is lost: %v", name, err))
			break
		}
		member, top, ok := find(path.Clean(strings.TrimLeft(header.Name, "/")))
		if ok && (header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink) {
			s.remark(linkRemark(name, header))
		}
		if !ok || header.Typeflag != tar.TypeReg {
			continue
		}
		if !slices.Contains(tops, top) {
			if tops = append(tops, top); len(tops) > 1 {
				slices.Sort(tops)
				return nil, &Error{name, fmt.Sprintf("holds several sites, in %q and %q: unpack it and name one of them", tops[0], tops[1])}
			}
		}
		if _, isTwice := files[member]; isTwice {
			s.remark(diag.Damagef("%s is there twice, the first one counts", path.Join(name, member)))
			continue
		}
		content, err := readContent(t, header.Size, min(mostOf(member), maxKept-kept))
		if err != nil {
			s.remark(diag.Damagef("%s: %v", path.Join(name, member), err))
		}
		if errors.Is(err, errTooLarge) || len(content) == 0 && !isPriv(member) { // an empty one of these means something
			continue
		}
		kept += content.size()
		files[member] = content
		if isPriv(member) {
			s.priv = pbs.PrivName
		}
	}
	// To the end, where a packed archive has its checksum.
	if _, err := io.Copy(io.Discard, stream); err != nil {
		s.remark(diag.Cutf("%s is cut off or damaged: %v", name, err))
	} else if stream.zeros < endOfArchive {
		s.remark(diag.Damagef("%s has no end as archives have: it may be cut off", name))
	}
	if len(files) == 0 {
		if len(s.Remarks) > 0 {
			return nil, errors.New(s.Remarks[0].Text)
		}
		return nil, &Error{name, "is an archive without anything of a snapshot: neither sched_priv nor a list of jobs such as " + ListPath}
	}
	s.find()
	return s, nil
}

// endOfArchive is how many zeros end a tar archive.
const endOfArchive = 1024

// watched is a reader that counts the zeros at the end of what was read.
type watched struct {
	r     io.Reader
	zeros int
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if trailing := n - len(bytes.TrimRight(p[:n], "\x00")); trailing < n {
		w.zeros = trailing
	} else {
		w.zeros += n
	}
	return n, err
}

var errTooLarge = errors.New("it is too large to be kept in memory")

// readContent reads a member of a size that its header tells, and of at most most
// bytes. What could be read comes with an error.
func readContent(r io.Reader, told, most int64) (content, error) {
	if told > most {
		return nil, errTooLarge
	}
	piece := int(min(told+1, 1<<20))
	var c content
	for size := int64(0); ; {
		b := make([]byte, piece)
		n, err := io.ReadFull(r, b)
		if size += int64(n); size > most {
			return nil, errTooLarge
		}
		if n > 0 {
			c = append(c, b[:n:n])
		}
		switch {
		case errors.Is(err, io.EOF), err == io.ErrUnexpectedEOF && n < piece && isAtEnd(r):
			return c, nil
		case err != nil:
			return c, fmt.Errorf("it is cut off: %w", err)
		}
	}
}

// isAtEnd reports whether a reader has ended as it should, and was not cut off.
func isAtEnd(r io.Reader) bool {
	n, err := r.Read(make([]byte, 1))
	return n == 0 && err == io.EOF
}

// archive is the members that are kept, by their paths in the layout.
type archive map[string]content

// content is the bytes of a member, in pieces.
type content [][]byte

func (c content) size() int64 {
	n := 0
	for _, piece := range c {
		n += len(piece)
	}
	return int64(n)
}

// Open implements fs.FS.
func (a archive) Open(name string) (fs.File, error) {
	c, ok := a[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openMember{c.reader(), memberInfo{path.Base(name), c.size()}}, nil
}

// openMember implements fs.File.
type openMember struct {
	io.Reader
	info memberInfo
}

func (m *openMember) Stat() (fs.FileInfo, error) { return m.info, nil }
func (m *openMember) Close() error               { return nil }

// memberInfo implements fs.FileInfo.
type memberInfo struct {
	name string
	size int64
}

func (m memberInfo) Name() string       { return m.name }
func (m memberInfo) Size() int64        { return m.size }
func (m memberInfo) Mode() fs.FileMode  { return 0o444 }
func (m memberInfo) ModTime() time.Time { return time.Time{} }
func (m memberInfo) IsDir() bool        { return false }
func (m memberInfo) Sys() any           { return nil }
