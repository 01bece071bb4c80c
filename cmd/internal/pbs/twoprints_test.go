package pbs

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// Where two prints of the server tell an attribute otherwise, it is said which counts; other forms of the same value are none.
func TestTwoPrints(t *testing.T) {
	const list = "Server: s\n    server_state = Active\n    job_sort_formula = pow(2,ncpus)\n    eligible_time_enable = True\n    resources_default.ncpus = 1\n    max_run = [u:a=1],[u:b=2]\n"
	named := func(name, print string) file.Source {
		from := text(print)
		from.Name = name
		return from
	}
	for _, test := range []struct{ print, want string }{
		{"set server job_sort_formula = \"pow(2,ncpus)\"\nset server eligible_time_enable = TRUE\nset server max_run = [u:b=2]\nset server max_run += [u:a=1]\n", ""},
		{"set server job_sort_formula = \"pow(3,ncpus)\"\n", "two differs from one in job_sort_formula (pow(3,ncpus), there pow(2,ncpus)): that of two counts"},
		{"set server eligible_time_enable = False\nset server max_run = [u:a=1]\n", "two differs from one in eligible_time_enable (False, there True), max_run ([u:a=1], there [u:a=1],[u:b=2]): that of two counts"},
		{"set server comment = other\n", ""},
	} {
		s, before := defaultSched(), prints{}
		if _, err := s.read(named("one", list), "", before); err != nil {
			t.Fatal(err)
		}
		remarks, err := s.read(named("two", test.print), "", before)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, r := range remarks {
			said = append(said, r.Text)
		}
		if got := strings.Join(said, "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", test.print, got, test.want)
		}
	}
}
