package dump

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/workshop"
)

// The manual collects by hand what a live site is asked.
func TestByHand(t *testing.T) {
	var want []string
	for _, c := range commands {
		want = append(want, strings.Join(c.words, " ")+" > "+c.name)
	}
	if diff := cmp.Diff(want, workshop.ByHand(t, "flux")); diff != "" {
		t.Errorf("docs/collect.md (-asked +page):\n%s", diff)
	}
}
