package fstree

import (
	"slices"
	"testing"
)

// A question for the nearest name leaves the names as they are, which several readers share.
func TestNamesStay(t *testing.T) {
	names := []string{"euser", "Account_Name"}
	before := slices.Clone(names)
	if got := didYouMean("eusr", names); got != "; did you mean euser?" {
		t.Errorf("it asks %q", got)
	}
	if !slices.Equal(names, before) {
		t.Errorf("the names have become %q", names)
	}
}
