package file

import (
	"strings"
	"sync"
)

// heads is what is known of the begins of files, which each scheduler asks for, and more than once: what they are, and in bounds
// what they have.
type heads struct {
	mu    sync.Mutex
	texts map[string]string // by the paths of their files
	size  int               // of all texts
	kinds map[kindOfWhom]any
}

// kindOfWhom is what the kind of a file depends on while its tree is open.
type kindOfWhom struct{ scheduler, at string }

// mostHeads is how many bytes of begins are kept of a tree.
const mostHeads = 16 << 20

// Head returns the begin of a file, which tells what a scheduler's command printed it.
func (t *Tree) Head(at string) (string, error) {
	t.heads.mu.Lock()
	text, isKnown := t.heads.texts[at]
	t.heads.mu.Unlock()
	if isKnown {
		return text, nil
	}
	text, err := t.Source(at).Head()
	if err != nil {
		return text, err
	}
	t.heads.mu.Lock()
	defer t.heads.mu.Unlock()
	if _, isKnown = t.heads.texts[at]; isKnown || t.heads.size+len(text) > mostHeads {
		return text, nil
	}
	if t.heads.texts == nil {
		t.heads.texts = map[string]string{}
	}
	t.heads.texts[at] = text
	t.heads.size += len(text)
	return text, nil
}

// kind is what a scheduler makes of a file.
type kind[K comparable] struct {
	is       K
	isSpoilt bool // whether it is that but for zero bytes
}

// kindIn returns of which kind a file of a tree is by its begin, which is found out once, and whether it is so only without its
// zero bytes, as a disk leaves blocks that were never written.
func (c Commands[K]) kindIn(t *Tree, at, text string) (is K, isSpoilt bool) {
	of := kindOfWhom{c.Name, at}
	t.heads.mu.Lock()
	known, isKnown := t.heads.kinds[of].(kind[K])
	t.heads.mu.Unlock()
	if isKnown {
		return known.is, known.isSpoilt
	}
	var unknown K
	is = c.KindOf(text)
	if isSpoilt = is == unknown && strings.Contains(text, "\x00"); isSpoilt {
		is = c.KindOf(strings.ReplaceAll(text, "\x00", ""))
	}
	t.heads.mu.Lock()
	defer t.heads.mu.Unlock()
	if t.heads.kinds == nil {
		t.heads.kinds = map[kindOfWhom]any{}
	}
	t.heads.kinds[of] = kind[K]{is, isSpoilt}
	return is, isSpoilt
}
