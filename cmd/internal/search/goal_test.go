package search_test

import (
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/search"
)

func TestParseGoal(t *testing.T) {
	for text, want := range map[string]string{"min p95(wait)": "min p95(wait)", " max  utilisation": "max utilisation"} {
		if g, err := search.ParseGoal(text); err != nil || g.String() != want {
			t.Errorf("%q: %v (%v)", text, g, err)
		}
	}
	for _, text := range []string{"", "p95(wait)", "min", "min wait", "least mean(wait)"} {
		if g, err := search.ParseGoal(text); err == nil {
			t.Errorf("%q is accepted: %v", text, g)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, text := range []string{"min p95(wait)", "W1=1:10:.5", "a.shares=1,2",
		`{"search":"a","cell":1,"cells":2,"part":1,"parts":1,"axes":["W"],"values":["1"],"goals":["min mean(wait)"],"figures":["mean(wait)"],"runs":[[1,null]]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if g, err := search.ParseGoal(text); err == nil {
			if again, err := search.ParseGoal(g.String()); err != nil || again.String() != g.String() {
				t.Errorf("%q reads as %q, which does not read back: %v", text, g, err)
			}
		}
		if a, err := search.ParseAxis(text, pbs.WholeName); err == nil && (a.Name == "" || len(a.Values) == 0 || len(a.Values) > search.MostCells) {
			t.Errorf("%q: %+v", text, a)
		}
		if c, _, err := search.Collect([]file.Source{studytest.Source(text)}); err == nil {
			search.Undominated(c.Cells, nil)
		}
	})
}
