package snapshot

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// The manual collects by hand what a complex is asked.
func TestByHand(t *testing.T) {
	var asked []string
	for _, m := range Members {
		if m.Command != nil {
			asked = append(asked, strings.Join(m.Command, " ")+" > "+m.Path)
		}
	}
	workshop.ByHand(t, "PBS", asked)
}
