package obfuscate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/workshop"
)

// plantings are where a secret may stand in a value that a site prints.
var plantings = []func(value, secret string) string{
	func(_, secret string) string { return secret },
	func(value, secret string) string { return value + secret },
	func(value, secret string) string { return secret + value },
	func(value, secret string) string { return value + "," + secret + "=1" },
	func(value, secret string) string {
		return value + ",gres/gpu:" + secret + "=1,license/" + secret + "=2,bb/" + secret + "=3"
	},
	func(value, secret string) string { return value + ":" + secret + ":2" },
	func(value, secret string) string { return value + "(" + secret + ")" },
	func(_, secret string) string { return "(null)" + secret },
	func(_, secret string) string { return "None " + secret },
	func(_, secret string) string { return secret + "[1-3]," + secret + "9" },
	func(value, secret string) string { return value + " by " + secret },
	func(value, secret string) string { return value + "@" + secret },
	func(value, secret string) string { return value + "&" + secret + "*2" },
	func(value, secret string) string {
		return value + " --comment=" + secret + " -A " + secret + " " + secret
	},
	func(value, secret string) string { return letters.ReplaceAllString(value, secret) },
}

var letters, digits = regexp.MustCompile(`[A-Za-z]+`), regexp.MustCompile(`[0-9]+`)

// A name that no word of Slurm's is like gets through nowhere, in whatever field of whatever part it stands.
func TestSecrets(t *testing.T) {
	const secret, most = "zq7.s_c-ret", 40 // lines of a part
	asked := map[string]bool{}
	for _, d := range recordings(t) {
		for _, p := range d.Parts {
			if lines := strings.SplitAfterN(p.Text, "\n", most+1); len(lines) > most && !slurm.IsJSON(p.Text) {
				p.Text = strings.Join(lines[:most], "")
			}
			of := fmt.Sprint(p.Kind, " ", strings.Contains(p.Text, "|"), slurm.IsJSON(p.Text))
			if asked[of] {
				continue
			}
			asked[of] = true
			for i, plant := range plantings {
				p := p
				p.Text = planted(t, p, func(value string) string { return plant(value, secret) })
				for line := range strings.Lines(newHider(obfuscate.Shift{}).part(d, p)) {
					if at := strings.Index(line, secret); at >= 0 {
						t.Errorf("a secret planted in way %d in %s gets through: %q", i, p.File(), line[max(0, at-40):at+len(secret)])
					}
				}
			}
		}
	}
	if len(asked) < 15 {
		t.Errorf("only %d kinds of parts", len(asked))
	}
}

// A name that looks like a word of Slurm's gets through in those fields alone in which nothing but such words stand.
func TestSecretWords(t *testing.T) {
	const secret = "Zqsecret"
	words := []slurm.Copy{slurm.CopyWord, slurm.CopyWords, slurm.CopyReason, slurm.CopyParameters}
	asked, n := map[string]bool{}, 0
	for _, d := range recordings(t) {
		h := newHider(obfuscate.Shift{})
		h.nameNodes(d)
		for _, p := range d.Parts {
			each(p, func(field string, how slurm.Copy, value string) {
				of := field + "=" + digits.ReplaceAllString(letters.ReplaceAllString(value, "a"), "0")
				if asked[of] || slices.Contains(words, how) {
					return
				}
				asked[of] = true
				for i, plant := range plantings {
					n++
					if copied := h.rewritten(how, plant(value, secret)); strings.Contains(copied, secret) {
						t.Errorf("%s: a secret planted in way %d gets through: %q", field, i, copied)
					}
				}
			})
		}
	}
	if n < 10_000 {
		t.Errorf("only %d values", n)
	}
}

// A node that is called as a reason is has another name where nodes and reasons stand in one column.
func TestNodeNamedLikeReason(t *testing.T) {
	h := newHider(obfuscate.Shift{})
	h.names.Name("host", "Priority")
	h.hosts["Priority"] = true
	if got := h.rewritten(slurm.CopyReason, "Priority"); got != "host-1" {
		t.Error(got)
	}
	if got := h.rewritten(slurm.CopyReason, "(Priority)"); got != "(Priority)" {
		t.Error(got)
	}
}

// planted returns the text of a part with another value of each field.
func planted(t testing.TB, p dump.Part, plant func(value string) string) string {
	if slurm.IsJSON(p.Text) {
		return workshop.ChangeJSON(t, p.Text, plant)
	}
	lines := slices.Collect(strings.Lines(p.Text))
	for i, line := range lines {
		line = strings.TrimRight(line, "\r\n")
		setting := isSetting().FindStringSubmatch(line)
		switch {
		case p.Kind == dump.KindConfig && setting != nil:
			line = setting[1] + " = " + plant(setting[2])
		case strings.Contains(line, "|") && i > 0:
			cells := strings.Split(line, "|")
			for k := range cells {
				cells[k] = plant(cells[k])
			}
			line = strings.Join(cells, "|")
		default:
			line = isField.ReplaceAllStringFunc(line, func(field string) string {
				key, value, _ := strings.Cut(field, "=")
				return key + "=" + plant(value)
			})
		}
		lines[i] = line + "\n"
	}
	return strings.Join(lines, "")
}

var isField = regexp.MustCompile(`[A-Za-z][\w/:]*=\S*`)
