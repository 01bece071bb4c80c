package conformance

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// known is a difference of a relation that has a reason. The test fails when it is gone, so that it
// is taken out.
type known struct {
	site string // the name of a site, or with / at its end what all names begin with
	says string // what each of the differences has in its text
	why  string
}

// is reports whether a difference is one of a site.
func (k known) is(p place) bool {
	return k.site == p.name || strings.HasSuffix(k.site, "/") && strings.HasPrefix(p.name, k.site)
}

// differences collects what two commands say differently of one site.
type differences []string

func (d *differences) add(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

// tell makes each difference an error.
func (d differences) tell(t testing.TB) {
	t.Helper()
	for _, text := range d {
		t.Error(text)
	}
}

// equal adds a difference if two values are not the same.
func (d *differences) equal(of string, first, second any) {
	if a, b := fmt.Sprint(first), fmt.Sprint(second); a != b {
		d.add("%s: %s and %s", of, a, b)
	}
}

// hold asks for the differences of each site, and fails for those that are not known. In a plain
// run it asks every step-th site, and those of known differences.
func hold(t *testing.T, list []place, step int, find func(t testing.TB, p place, d *differences), but ...known) {
	t.Parallel()
	var mutex sync.Mutex
	asked, met := make([]bool, len(but)), make([]bool, len(but))
	isKnown := func(p place, text string) (found bool) {
		for i, k := range but {
			if k.is(p) && strings.Contains(text, k.says) {
				met[i], found = true, true
			}
		}
		return found
	}
	t.Cleanup(func() { // after all sites
		for i, k := range but {
			if asked[i] && !met[i] && (workshop.TestsAll() || !strings.HasSuffix(k.site, "/")) {
				t.Errorf("%s: %q is no difference any more: take it out of the known ones", k.site, k.says)
			}
		}
	})
	for i, p := range list {
		isOfKnown := false
		for _, k := range but {
			isOfKnown = isOfKnown || k.site == p.name // and not of many
		}
		if !workshop.Among(i, step) && !isOfKnown {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var d differences
			find(t, p, &d)
			mutex.Lock()
			defer mutex.Unlock()
			for i, k := range but {
				asked[i] = asked[i] || k.is(p)
			}
			for _, text := range d {
				if !isKnown(p, text) {
					t.Error(text)
				}
			}
		})
	}
}

// holdForecasts is hold for what forecasts say, and fails where too few sites have one.
func holdForecasts(t *testing.T, list []place, find func(t testing.TB, p place, d *differences) (hasForecast bool)) {
	every := inPlain(13, 6)
	step := workshop.Step(every)
	var asked, answered atomic.Int32
	t.Cleanup(func() { // after all sites, unless some alone were asked for
		if n := int(answered.Load()); int(asked.Load()) == (len(list)+step-1)/step && n < fewest(60, 2) {
			t.Errorf("only %d sites have a forecast", n)
		}
	})
	hold(t, list, every, func(t testing.TB, p place, d *differences) {
		hasForecast := find(t, p, d)
		asked.Add(1)
		if hasForecast {
			answered.Add(1)
		}
	})
}

// everyThird returns every third of some texts, from another one on for the next number.
func everyThird(texts []string, number int) (some []string) {
	for i := number % 3; i < len(texts); i += 3 {
		some = append(some, texts[i])
	}
	return some
}
