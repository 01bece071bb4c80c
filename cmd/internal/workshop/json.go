package workshop

import (
	"encoding/json"
	"strings"
	"testing"
)

// ChangeJSON returns JSON in which every text that is no name of a field is changed.
func ChangeJSON(t testing.TB, text string, change func(value string) string) string {
	t.Helper()
	var all any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	changed, err := json.Marshal(changedIn(all, change))
	if err != nil {
		t.Fatal(err)
	}
	return string(changed)
}

func changedIn(of any, change func(value string) string) any {
	switch of := of.(type) {
	case string:
		return change(of)
	case []any:
		for i := range of {
			of[i] = changedIn(of[i], change)
		}
	case map[string]any:
		for name := range of {
			of[name] = changedIn(of[name], change)
		}
	}
	return of
}
