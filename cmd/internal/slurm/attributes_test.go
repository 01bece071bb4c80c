package slurm

import "testing"

// Each setting that is read, or said not to be modelled, is in a copy, and stands in its table once.
func TestAttributesAreCopied(t *testing.T) {
	for _, all := range []Attributes{JobAttributes, NodeAttributes, PartitionAttributes, ReservationAttributes} {
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
