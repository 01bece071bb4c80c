package file

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"sync"
)

// listings are the names in folders that somebody has asked about.
type listings struct {
	mu sync.Mutex
	of map[string]map[string]bool // by folder; nil for one that cannot be listed, or has very many
}

// Lacks reports whether a path is that of nothing at all, as its folder does not list it. Where a scheduler may have any of many files,
// that costs less than to ask for each. False means that it may be there, as anything may in an archive, which knows that by itself.
func (t *Tree) Lacks(at string) bool {
	if t.archive != nil {
		return false
	}
	t.listings.mu.Lock()
	defer t.listings.mu.Unlock()
	return t.listings.lack(t.FS, at)
}

func (l *listings) lack(within fs.FS, at string) bool {
	dir := path.Dir(at)
	if dir == at {
		return false
	}
	names, isKnown := l.of[dir]
	if !isKnown {
		if names = map[string]bool{}; !l.lack(within, dir) {
			names = namesIn(within, dir)
		}
		if l.of == nil {
			l.of = map[string]map[string]bool{}
		}
		l.of[dir] = names
	}
	return names != nil && !names[path.Base(at)]
}

// namesIn returns the names in a folder, nil where it cannot be listed or has very many.
func namesIn(within fs.FS, dir string) map[string]bool {
	const most = 1000
	f, err := within.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	folder, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	entries, err := folder.ReadDir(most)
	if len(entries) == most || err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}
