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
	running, waiting := "", ""
	for id, p := range s.listed {
		switch {
		case strings.Contains(id, "_"):
		case p.Start > 0:
			running = max(running, id)
		default:
			waiting = max(waiting, id)
		}
	}
	if running == "" || waiting == "" {
		t.Fatal("no job runs, or none waits")
	}
	for _, x := range []struct {
		dependency string
		want       []string // what each remark has
	}{
		{"afterok:" + running, []string{"which are taken to end well: " + running + " (runs, until "}},
		{"afterany:" + waiting + ":1", []string{"which are taken to end well: " + waiting + " (waits)", "are taken to have ended as it asks: 1"}},
		{"after:" + running, nil}, {"after:" + waiting + "+5", []string{waiting + " (waits)"}}, {"afternotok:1?afterok:2", []string{"taken to have ended as it asks: 1, 2"}}, {"singleton", nil},
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
