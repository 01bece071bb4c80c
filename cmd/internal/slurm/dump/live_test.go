package dump

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// The manual collects by hand what a live site is asked.
func TestByHand(t *testing.T) {
	var asked []string
	for _, c := range commands {
		asked = append(asked, strings.Join(c.words, " ")+" > "+c.name)
	}
	workshop.ByHand(t, "Slurm", asked)
}
