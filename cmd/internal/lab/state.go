package lab

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"

	"fairshare/cmd/internal/diag"
)

// State is what is tried.
type State struct {
	Formula  string   `json:"formula"`
	Settings []string `json:"settings"` // as --set takes them
}

// Bounds of what is tried.
const (
	maxFormula  = 8 << 10 // bytes
	maxSettings = 500
	maxRecent   = 6
)

// Check returns a *diag.RequestError for what cannot be tried.
func (s State) Check() error {
	isControl := func(setting string) bool { return strings.ContainsFunc(setting, unicode.IsControl) }
	switch {
	case len(s.Formula) > maxFormula:
		return diag.Requestf("the formula is too long")
	case len(s.Settings) > maxSettings:
		return diag.Requestf("there are too many settings")
	case slices.ContainsFunc(s.Settings, isControl):
		return diag.Requestf("a setting has control characters")
	}
	return nil
}

// Bounded returns the names that a filter offers.
func Bounded(names []string) []string {
	const most = 2000
	return append([]string{}, names[:min(len(names), most)]...)
}

// Recent keeps what the last states that were tried have come to.
type Recent[T any] struct {
	mutex sync.Mutex
	list  []*result[T] // the last one first
}

// result is what a state has come to.
type result[T any] struct {
	key   string
	once  sync.Once
	value T
	err   error
}

// Of returns what a state comes to, for which make is called once. Its error is a *diag.RequestError or
// that of make.
func (r *Recent[T]) Of(s State, make func() (T, error)) (T, error) {
	if err := s.Check(); err != nil {
		var none T
		return none, err
	}
	t := r.recall(s)
	t.once.Do(func() {
		t.err = ErrFault // if it panics
		t.value, t.err = make()
	})
	return t.value, t.err
}

// recall returns what a state has come to, or a place for that.
func (r *Recent[T]) recall(s State) *result[T] {
	text, _ := json.Marshal(append([]string{s.Formula}, s.Settings...)) // texts can be marshalled
	key := string(text)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	at := slices.IndexFunc(r.list, func(t *result[T]) bool { return t.key == key })
	t := &result[T]{key: key}
	if at >= 0 {
		t = r.list[at]
		r.list = slices.Delete(r.list, at, at+1)
	}
	r.list = slices.Insert(r.list, 0, t)
	r.list = r.list[:min(len(r.list), maxRecent)]
	return t
}
