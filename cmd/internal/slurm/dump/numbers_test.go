package dump

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A value that is no number is named with its field and its object, whatever field of whatever list it is of, in text and in JSON;
// what Slurm prints is not.
func TestNumbers(t *testing.T) {
	said := func(k Kind, text string) string {
		d := &Dump{Parts: []Part{{Text: text, Kind: k}}}
		return fmt.Sprint(d.unreadNumbers())
	}
	for k, fields := range numbers {
		first := firsts[k]
		for name, form := range fields {
			printed := func(value string) string {
				switch {
				case k == KindLicences && name != "total":
					return first + "=one total=1 " + name + "=" + value + "\n"
				case first != "":
					return first + "=one " + name + "=" + value + "\n"
				case k == KindQOS:
					return "name|" + name + "\none|" + value + "\n"
				}
				return "account|user|" + name + "\none||" + value + "\n"
			}
			good := []string{"5", "0"}
			if form == ofBound {
				good = append(good, "UNLIMITED")
			}
			if form == ofSpan {
				good = append(good, "1-00:00:00", "UNLIMITED", "NONE")
			}
			for _, value := range good {
				if got := said(k, printed(value)); got != "[]" {
					t.Errorf("%s=%s: %s", name, value, got)
				}
			}
			odd := []string{"12x", "-5", "1e999", "inf", "nan", "many"}
			if form == ofFilled {
				odd = append(odd, "")
			}
			for _, value := range odd {
				if got := said(k, printed(value)); !strings.Contains(got, "1 value where a number belongs") || !strings.Contains(got, name+" of one ("+value+")") {
					t.Errorf("%s=%s: %s", name, value, got)
				}
			}
			path := jsonFields[k][name] + jsonSpans[k][name]
			if path == "" {
				continue
			}
			values := map[string]bool{"5": true, `"5"`: true, `{"set":true,"infinite":false,"number":5}`: true, `{"set":false,"infinite":false,"number":0}`: true,
				"null": true, "[5]": false, "{}": false, "true": false, `{"set":"yes","number":5}`: false}
			if form == ofBound || form == ofSpan {
				values[`"Infinity"`] = true
			}
			for value, isGood := range values {
				object := map[string]any{}
				at := object
				steps := strings.Split(path, "/")
				for _, step := range steps[:len(steps)-1] {
					inner := map[string]any{}
					at[step], at = inner, inner
				}
				at[steps[len(steps)-1]] = json.RawMessage(value)
				for other, of := range jsonFields[k] {
					if other == strings.ToLower(first) || k == KindQOS && other == "name" || k == KindAssociations && other == "account" {
						object[of] = "one"
					}
				}
				text, _ := json.Marshal(map[string]any{jsonList[k]: []any{object}})
				if got := said(k, string(text)); (got == "[]") != isGood || !isGood && !strings.Contains(got, name+" of one (") {
					t.Errorf("%s: %s", text, got)
				}
			}
		}
	}
}

// Of what Slurm was recorded to print, each number is read.
func TestRecordedNumbers(t *testing.T) {
	sites, _ := filepath.Glob("../../../../testdata/slurm-*/*.tgz")
	if len(sites) == 0 {
		t.Fatal("no site")
	}
	for _, name := range sites {
		d, err := Open(name)
		if err != nil {
			continue // of a record alone
		}
		if got := d.unreadNumbers(); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
