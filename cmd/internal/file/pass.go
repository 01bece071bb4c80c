package file

import (
	"archive/tar"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// pass is a way through an archive that has come to some member.
type pass struct {
	in  io.Closer
	tar *tar.Reader
	at  int // the number of the header before
}

// pass returns a pass that has come to a member: the one that is idle, if it stands before that.
func (a *archive) pass(to *member) (*pass, error) {
	a.mu.Lock()
	p := a.idle
	if p != nil && p.at < to.at {
		a.idle = nil
	} else {
		p = nil
	}
	a.mu.Unlock()
	if p == nil {
		in, err := a.again()
		if err != nil {
			return nil, err
		}
		plain, err := Plain(in)
		if err != nil {
			in.Close()
			return nil, err
		}
		p = &pass{in, tar.NewReader(io.LimitReader(plain, maxStream)), -1}
	}
	for p.at < to.at {
		if _, err := p.tar.Next(); err != nil {
			p.in.Close()
			return nil, err
		}
		p.at++
	}
	return p, nil
}

// park makes a pass the one that is idle.
func (a *archive) park(p *pass) {
	a.mu.Lock()
	p, a.idle = a.idle, p
	a.mu.Unlock()
	if p != nil {
		p.in.Close()
	}
}

// Open implements fs.FS. What is read of the file is not kept.
func (a *archive) Open(name string) (fs.File, error) {
	if m, err := a.find("open", name); err == nil && m.mode.IsDir() {
		entries, err := a.ReadDir(name)
		return &openFolder{info{m}, entries}, err
	}
	f, err := a.open(name, false)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// open opens a file, which is kept when all of it was read, if it is to be held and not large.
func (a *archive) open(name string, isHeld bool) (*openFile, error) {
	m, err := a.find("open", name)
	if err != nil {
		return nil, err
	}
	if !m.mode.IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New(cmp.Or(kindOf(m.mode), "no regular file"))}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f := &openFile{archive: a, member: m, isHeld: isHeld && m.size <= mostMember, read: slices.Clip(m.held)}
	f.n, f.begin = f.read.size(), f.read.reader()
	return f, nil
}

// hold keeps all of some files, as long as there is room.
func (a *archive) hold(paths []string) {
	var members []*member
	for _, at := range paths {
		if m, err := a.find("open", at); err == nil && m.mode.IsRegular() {
			members = append(members, m)
		}
	}
	slices.SortFunc(members, func(a, b *member) int { return cmp.Compare(a.at, b.at) })
	for _, m := range members {
		f, err := a.open(m.path, true)
		if err != nil {
			continue
		}
		if f.isHeld = f.hasRoom(); f.isHeld {
			_, _ = io.Copy(io.Discard, f)
		}
		f.Close()
	}
}

// openFile is a file of an archive that is read. It implements fs.File.
type openFile struct {
	archive *archive
	member  *member
	begin   io.Reader // what is held of it
	pass    *pass     // that reads the rest, nil so far
	isHeld  bool      // whether the rest is to be held
	read    content
	n       int64 // of bytes that were read, those that are held included
	err     error // with which reading has ended
}

// Stat implements fs.File.
func (f *openFile) Stat() (fs.FileInfo, error) { return info{f.member}, nil }

// Read implements io.Reader.
func (f *openFile) Read(p []byte) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.begin != nil {
		if n, err = f.begin.Read(p); !errors.Is(err, io.EOF) {
			return n, err
		}
		f.begin = nil
	}
	n, f.err = f.readRest(p)
	if f.err != nil && f.member.isCut { // as the archive's remarks tell
		f.err = io.EOF
	}
	if errors.Is(f.err, io.EOF) && f.isHeld && f.n == f.member.size {
		f.archive.mu.Lock()
		f.archive.sum += f.read.size() - f.member.held.size()
		f.member.held = f.read
		f.archive.mu.Unlock()
	}
	return n, f.err
}

// readRest reads what is not held.
func (f *openFile) readRest(p []byte) (n int, err error) {
	if f.pass == nil {
		if f.n >= f.member.size {
			return 0, io.EOF
		}
		if f.pass, err = f.archive.pass(f.member); err != nil {
			return 0, err
		}
		if _, err = io.CopyN(io.Discard, f.pass.tar, f.n); err != nil {
			return 0, err
		}
	}
	n, err = f.pass.tar.Read(p)
	f.n += int64(n)
	if f.isHeld = f.isHeld && f.hasRoom(); f.isHeld {
		f.keep(p[:n])
	}
	return n, err
}

// hasRoom reports whether the archive may hold all of the file.
func (f *openFile) hasRoom() bool {
	f.archive.mu.Lock()
	defer f.archive.mu.Unlock()
	return f.archive.sum+f.member.size-f.member.held.size() <= mostHeld
}

// keep adds what was read to what is held, in pieces that are not small.
func (f *openFile) keep(read []byte) {
	for len(read) > 0 {
		last := len(f.read) - 1
		if last < 0 || len(f.read[last]) == cap(f.read[last]) {
			const piece = 1 << 20
			f.read = append(f.read, make([]byte, 0, min(piece, max(f.member.size-f.n, 0)+int64(len(read)))))
			last++
		}
		n := min(len(read), cap(f.read[last])-len(f.read[last]))
		f.read[last] = append(f.read[last], read[:n]...)
		read = read[n:]
	}
}

// Close implements fs.File.
func (f *openFile) Close() error {
	p := f.pass
	f.pass = nil
	switch {
	case p == nil:
	case f.err == nil || errors.Is(f.err, io.EOF) && !f.member.isCut:
		f.archive.park(p)
	default:
		return p.in.Close()
	}
	return nil
}

// openFolder is a folder of an archive. It implements fs.ReadDirFile.
type openFolder struct {
	info info
	rest []fs.DirEntry
}

// Stat implements fs.File.
func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements fs.File.
func (f *openFolder) Close() error { return nil }

// Read implements fs.File.
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.path, Err: errors.New("is a directory")}
}

// ReadDir implements fs.ReadDirFile.
func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(f.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.rest) {
		n = len(f.rest)
	}
	entries := f.rest[:n]
	f.rest = f.rest[n:]
	return entries, nil
}
