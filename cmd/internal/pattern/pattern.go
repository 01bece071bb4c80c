// Package pattern has regular expressions that take no time before they are used: the commands
// have some two hundred, of which one run uses a few.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy gives a regular expression, which is compiled when it is first asked for.
type Lazy func() *regexp.Regexp

// Of returns the pattern that a text is. To ask for it panics where the text is none.
func Of(text string) Lazy {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
