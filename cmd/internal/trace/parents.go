package trace

import (
	"iter"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// OfAccounts is the kind of names of which some may be below others.
const OfAccounts = "account"

// Parents are the accounts that each account is directly below, nil where nothing tells them.
type Parents map[string]string

// Above yields an account and those above it, from below; it ends where a circle would.
func (p Parents) Above(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at, steps := name, 0; at != "" && steps <= len(p) && yield(at); at, steps = p[at], steps+1 {
		}
	}
}

// Has reports whether an account is another one or below it.
func (p Parents) Has(account, above string) bool {
	for at := range p.Above(account) {
		if at == above {
			return true
		}
	}
	return account == above
}

// CountBelow says which accounts count with one that they are below.
func CountBelow(account string, below []string) diag.Remark {
	return diag.Notef("with account %s count those below it: %s", account, report.Some(slices.Sorted(slices.Values(below)), 10))
}
