package slurm

import "testing"

// Each field of scontrol show job that is read, or said not to be modelled, is in a copy.
func TestJobFieldsAreCopied(t *testing.T) {
	for name, f := range jobFields {
		if isCopied := JobCopy(name) != CopyNot; !isCopied && f.idle == "" {
			t.Errorf("%s is read, and a copy lacks it", name)
		}
	}
	for name := range jobCopies {
		if _, isKnown := jobFields[name]; !isKnown {
			t.Errorf("%s is no field of a job", name)
		}
	}
}
