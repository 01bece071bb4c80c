package forecast

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/order"
)

// Of jobs that a job is to wait for, those of the list are named, with when they are over at the latest,
// and others to be taken to have ended; of several reservations, the first to begin is taken.
func TestAwaited(t *testing.T) {
	now, _, err := order.OpenNow("../../../../testdata/slurm-site/t2_busy.tgz", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := Read(now, nil, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	running, waiting, array := "", "", ""
	for id, p := range s.listed {
		switch of, _, isTask := strings.Cut(id, "_"); {
		case isTask && p.Start == 0:
			array = max(array, of)
		case isTask:
		case p.Start > 0:
			running = max(running, id)
		default:
			waiting = max(waiting, id)
		}
	}
	if running == "" || waiting == "" || array == "" {
		t.Fatal("no job runs, or none waits, or no task of an array")
	}
	for _, x := range []struct {
		dependency string
		want       []string // what each remark has
	}{
		{"afterok:" + running, []string{"which are taken to end well: " + running + " (runs, until "}},
		{"afterany:" + waiting + ":1", []string{"which are taken to end well: " + waiting + " (waits)", "are taken to have ended as it asks: 1"}},
		{"after:" + running, []string{"on jobs that have begun is met already: " + running}}, {"after:" + running + "+100000", []string{running + " (runs, and meets it at "}}, {"after:" + waiting + "+5", []string{waiting + " (waits)"}}, {"afternotok:1?afterok:2", []string{"taken to have ended as it asks: 1, 2"}}, {"singleton", []string{"singleton is not modelled: no other job of bob"}},
		{"afterok:" + array + "_*", []string{array + "_* ("}}, {"afterok:" + array, []string{"which are taken to end well: " + array + " ("}}, {"afterok:x", nil},
	} {
		of := &offer{site: s, user: "bob", asked: options{"dependency": x.dependency}}
		var texts []string
		for _, r := range of.awaited() {
			texts = append(texts, r.Text)
		}
		if len(texts) != len(x.want) || !slices.EqualFunc(texts, x.want, strings.Contains) {
			t.Errorf("%s: %q", x.dependency, texts)
		}
	}
}
