package slurm

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each setting that is read, or said not to be modelled, is in a copy, and stands in its table once.
func TestAttributesAreCopied(t *testing.T) {
	for _, all := range []Attributes{JobAttributes, NodeAttributes, PartitionAttributes, ReservationAttributes, ConfigAttributes} {
		for i := range all {
			s := &all[i]
			if s.Copy == CopyNot && s.Idle == "" {
				t.Errorf("%s is read, and a copy lacks it", s.Name)
			}
			if s.Lacks != "" && s.Idle != "" || all.Of(s.Name) != s && jobAttributes[s.Name] != s {
				t.Errorf("%s: %+v", s.Name, s)
			}
		}
	}
}

// Whatever of the rooms of this wing asks for a setting of slurmctld gets it: one that is not in the table is read by nobody.
func TestSettingsAreRead(t *testing.T) {
	asks := regexp.MustCompile(`\b[cC]onfig\("(\w+)"\)`)
	files, _ := filepath.Glob("*/*.go")
	count := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ask := range asks.FindAllStringSubmatch(string(text), -1) {
			if x := ConfigAttributes.Of(ask[1]); x == nil || x.Copy == CopyNot || x.Idle != "" || ask[1] != strings.ToLower(ask[1]) {
				t.Errorf("%s asks for %s, which nothing reads: %+v", name, ask[1], x)
			}
			count++
		}
	}
	if count < 20 {
		t.Errorf("%d settings are asked for", count)
	}
}
