package search

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
)

// ParsePart returns which part of how many of a search a text names: 1 of 1 for "".
func ParsePart(text string) (part, parts int, err error) {
	if text == "" {
		return 1, 1, nil
	}
	number, all, _ := strings.Cut(text, "/")
	part, err = strconv.Atoi(number)
	if err == nil {
		parts, err = strconv.Atoi(all)
	}
	if err != nil || part < 1 || part > parts {
		return 0, 0, diag.Requestf("--part is I/N, such as 2/10, not %q", text)
	}
	return part, parts, nil
}

// JobArrayOf returns the JobArray of a command line that asks for one: its name is that of the
// search, whatever the number of its parts.
func (by Submitter) JobArrayOf(commandLine []string, parts int) string {
	var args []string
	for i := 0; i < len(commandLine); i++ {
		switch name, _, hasValue := strings.Cut(commandLine[i], "="); {
		case name == "--parts" && !hasValue:
			i++ // and its number
		case name == "--parts", name == "--emit-job-array":
		default:
			args = append(args, commandLine[i])
		}
	}
	id := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	return by.JobArray(args, parts, hex.EncodeToString(id[:4]))
}

// Shown returns the figures that the table of a search has: those of the goals, which
// come first, and a few more.
func Shown(figures []figure.Figure, goals int) []figure.Figure {
	var shown []figure.Figure
	for i, f := range figures {
		switch f.String() {
		case "mean(wait)", "p95(wait)", "utilisation", "share_distance":
			shown = append(shown, f)
		default:
			if i < goals {
				shown = append(shown, f)
			}
		}
	}
	return shown
}
