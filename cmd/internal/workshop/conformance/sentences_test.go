package conformance

import (
	"maps"
	"regexp"
	"strings"
	"testing"
)

// No sentence of explain, up to a colon or a semicolon, is so long that nobody reads it to its end, at sites as they are and of PBS at those without what root alone reads.
func TestSentencesOfExplain(t *testing.T) {
	const most = 45 // words, those of a formula among them
	isCell := regexp.MustCompile(`\S {2,}\S`)
	endsPart := regexp.MustCompile(`[;:] `)
	ofRoot := regexp.MustCompile(`sched_priv|server_priv|qmgr`)
	hold(t, sitesOfForms(t), 29, func(t testing.TB, p place, d *differences) {
		dirs := []string{p.dir}
		if p.isPBS() {
			files := filesBelow(t, p.dir)
			maps.DeleteFunc(files, func(name, _ string) bool { return ofRoot.MatchString(name) })
			dirs = append(dirs, write(t, "sentences/"+strings.ReplaceAll(p.name, ":", "/"), files))
		}
		ids := strings.Fields(answered(t, "sort", p.dir, "-o", "ids"))
		if len(ids) < 3 {
			return
		}
		for _, dir := range dirs {
			for _, more := range [][]string{nil, {"--vs", ids[len(ids)-2]}} {
				a := ask(append([]string{"explain", ids[0], dir}, more...)...)
				for text := range strings.Lines(a.out) {
					if isCell.MatchString(strings.TrimSpace(text)) || strings.HasPrefix(text, "PBS says: ") {
						continue
					}
					for _, part := range endsPart.Split(text, -1) {
						if n := len(strings.Fields(part)); n > most {
							d.add("a sentence of %d words: %s", n, part)
						}
					}
				}
			}
		}
	})
}
