package conformance

import (
	"testing"

	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/snapshot"
)

// Each comment that PBS has written of a job of a recorded site is of a form that is put into words.
func TestCommentsInWords(t *testing.T) {
	kinds, seen := map[qstat.CommentKind]int{}, map[string]bool{}
	for _, p := range sites(t) {
		if !p.isPBS() {
			continue
		}
		snap, err := snapshot.Open(p.dir)
		if err != nil {
			continue
		}
		for _, list := range snap.Jobs() {
			in, err := list.Open()
			if err != nil {
				t.Fatal(err)
			}
			take := func(b *qstat.Batch) (texts []string) {
				for i := range b.Records {
					texts = append(texts, string(b.Records[i].Values[0]))
				}
				return texts
			}
			judge := func(texts []string) error {
				for _, text := range texts {
					if text == "" || seen[text] {
						continue
					}
					seen[text] = true
					kind, words := qstat.MeaningOf(text)
					if kinds[kind]++; kind == qstat.NoComment || kind != qstat.OfState && words == "" {
						t.Errorf("%s: %q has no words", p.name, text)
					}
				}
				return nil
			}
			_, _ = qstat.Read(in, qstat.Options{Workers: 1, Schema: qstat.NewSchema("comment")}, take, judge) // of one that is broken as far as it can be read
			in.Close()
		}
	}
	for _, kind := range []qstat.CommentKind{qstat.OfNever, qstat.OfLimit, qstat.OfRoom, qstat.OfState} {
		if kinds[kind] == 0 {
			t.Errorf("no comment of kind %d among %v", kind, kinds)
		}
	}
}
