package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	maxKept   = 4 << 30
	maxStream = 256 << 30 // sites keep months of logs
)

// isArchive reports whether a tar archive begins with a header, as it does where
// the header's checksum is right.
func isArchive(header []byte) bool {
	const size, at, length = 512, 148, 8
	if len(header) < size || header[0] == 0 {
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
// belongs to the layout; of several lists of jobs, the best one.
func readArchive(name string, r io.Reader) (*Snapshot, error) {
	files := archive{}
	s := &Snapshot{Name: name, files: files}
	var tops []string // what stands before the layout's paths
	kept := int64(0)
	t := tar.NewReader(&io.LimitedReader{R: r, N: maxStream})
	for {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.remark(diag.Damagef("%s is cut off or damaged, its rest is lost: %v", name, err))
			break
		}
		member, top, ok := find(path.Clean(strings.TrimLeft(header.Name, "/")))
		if !ok || header.Typeflag != tar.TypeReg || !files.wants(member) {
			continue
		}
		if !slices.Contains(tops, top) {
			if tops = append(tops, top); len(tops) > 1 {
				slices.Sort(tops)
				return nil, &Error{name, fmt.Sprintf("holds several sites, in %q and %q: unpack it and name one of them", tops[0], tops[1])}
			}
		}
		content, err := readContent(t, maxKept-kept)
		if err != nil {
			s.remark(diag.Damagef("%s: %v", path.Join(name, member), err))
		}
		if errors.Is(err, errTooLarge) || len(content) == 0 && !isPriv(member) { // an empty one of these means something
			continue
		}
		kept += content.size()
		files.keep(member, content)
		if isPriv(member) {
			s.priv = pbs.PrivName
		}
	}
	if len(files) == 0 {
		if len(s.Remarks) > 0 {
			return nil, errors.New(s.Remarks[0].Text)
		}
		return nil, &Error{name, "is an archive without anything of a snapshot: neither sched_priv nor a list of jobs such as " + listPath}
	}
	s.find()
	return s, nil
}

var errTooLarge = errors.New("it is too large to be kept in memory")

// readContent reads a member of at most most bytes. What could be read comes with
// an error.
func readContent(r io.Reader, most int64) (content, error) {
	const piece = 1 << 20
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

// wants reports whether a member is worth reading: of several lists of jobs only
// the best one is.
func (a archive) wants(member string) bool {
	rank, isJobs := rankOfJobs(member)
	for other := range a {
		if r, ok := rankOfJobs(other); ok && isJobs && r < rank {
			return false
		}
	}
	return true
}

// keep keeps a member, and drops a list of jobs that is not as good.
func (a archive) keep(member string, c content) {
	if rank, isJobs := rankOfJobs(member); isJobs {
		maps.DeleteFunc(a, func(other string, _ content) bool {
			r, ok := rankOfJobs(other)
			return ok && r > rank
		})
	}
	a[member] = c
}

// Open implements fs.FS.
func (a archive) Open(name string) (fs.File, error) {
	c, ok := a[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	readers := make([]io.Reader, len(c))
	for i, piece := range c {
		readers[i] = bytes.NewReader(piece)
	}
	return &openMember{io.MultiReader(readers...), memberInfo{path.Base(name), c.size()}}, nil
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
