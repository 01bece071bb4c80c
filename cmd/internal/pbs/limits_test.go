package pbs

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"fairshare/fstree"
)

func TestParseLimits(t *testing.T) {
	for text, want := range map[string]string{
		"[u:PBS_GENERIC=3],[u:bob=5], [o:PBS_ALL=9]": "u PBS_GENERIC 3, u bob 5, o PBS_ALL 9, ",
		`[g:"bio lab"=8gb]`:                          "g bio lab 8.388608e+06, ",
		`[p:a=b = 2 ]`:                               "p a=b 2, ",
	} {
		list, ok := ParseLimits(text)
		got := ""
		for _, l := range list {
			got += fmt.Sprintf("%c %s %v, ", l.Kind, l.Name, l.Most)
		}
		if got != want || !ok {
			t.Errorf("%s: %q %v", text, got, ok)
		}
	}
	for _, wrong := range []string{"3", "[u:bob]", "[x:bob=3]", "[u:bob=many]", "", "[]", "[:=]", "[u:a=1],[u:b]",
		"[u:a=1", "u:a=1", "[u:a=1] [u:b=2]", "[u:a=1],u:b=2", "[u:a=1,[u:b=2]", "[u:a=1],[]", "[u:a=1]]", "[u:a=1,u:b=2]"} {
		if list, ok := ParseLimits(wrong); ok {
			t.Errorf("%q: %v", wrong, list)
		}
	}
}

// Soft limits are apart from the others, and somebody's own stands in for the generic one.
func TestSoftLimits(t *testing.T) {
	site := &Site{
		Sched:  Sched{Server: Attributes{"max_run": "[u:a=9]", "max_run_soft": "[u:PBS_GENERIC=2],[u:bob=5]", "max_user_res_soft.ncpus": "8"}},
		Queues: []Queue{{Name: "q", Attributes: Attributes{"max_run_soft": "[o:PBS_ALL=3]"}}, {Name: "other"}},
	}
	list, err := site.Limits(true)
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	for _, test := range []struct {
		queue, user string
		want        []string
	}{
		{"q", "bob", []string{"bob 5", "bob 8 ncpus", "q PBS_ALL 3"}},
		{"other", "ann", []string{"ann 2", "ann 8 ncpus"}},
	} {
		var got []string
		for _, l := range LimitsFor(list, test.queue, test.user, "g", "p") {
			text := fmt.Sprintf("%s %v", l.Name, l.Most)
			if l.Resource != "" {
				text += " " + l.Resource
			}
			if l.Queue != "" {
				text = l.Queue + " " + text
			}
			got = append(got, text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.user, got)
		}
	}
	site.Queues[0].Attributes = Attributes{"max_run_soft": "many"}
	var wrong *LimitError
	if _, err := site.Limits(true); !errors.As(err, &wrong) || wrong.Where != "queue q" {
		t.Error(err)
	}
}

func FuzzLimits(f *testing.F) {
	f.Add("[u:PBS_GENERIC=3],[g:bio=4]")
	f.Fuzz(func(t *testing.T, text string) {
		if list, ok := ParseLimits(text); ok && len(list) == 0 {
			t.Error("no limit")
		}
	})
}

// What there is of a resource at the server or in a queue is a limit where the scheduler looks at it: sched_config names it.
// A text is none, which is said.
func TestAvailable(t *testing.T) {
	config, _ := fstree.ParseConfig("resources: \"ncpus, mem, lic, soft\"\n")
	site := &Site{
		SchedPriv: &SchedPriv{Config: config},
		Sched:     Sched{Server: Attributes{"resources_available.lic": "3", "resources_available.other": "1", "max_run_res.other": "[o:PBS_ALL=2]"}},
		Queues:    []Queue{{Name: "q", Attributes: Attributes{"resources_available.ncpus": "8", "resources_available.soft": "abaqus,ansys", "resources_available.label": "x"}}},
	}
	list, err := site.Limits(false)
	got := ""
	for _, l := range list {
		got += fmt.Sprintf("%s %v %s, ", l.Queue, l.Most, l.Resource)
	}
	if want := " 2 other,  3 lic, q 8 ncpus, "; got != want || err != nil {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	lacks := site.Lacks()
	if len(lacks) != 1 || !lacks[0].Concerns("q") || lacks[0].Concerns("p") || !slices.Equal(lacks[0].Asks, []string{"soft"}) {
		t.Errorf("%+v", lacks)
	}
}
