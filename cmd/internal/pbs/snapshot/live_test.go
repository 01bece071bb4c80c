package snapshot

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/workshop"
)

// The manual collects by hand what a complex is asked.
func TestByHand(t *testing.T) {
	var want []string
	for _, m := range Members {
		if m.Command != nil {
			want = append(want, strings.Join(m.Command, " ")+" > "+m.Path)
		}
	}
	got := workshop.ByHand(t, "PBS")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/collect.md (-asked +page):\n%s", diff)
	}
}
