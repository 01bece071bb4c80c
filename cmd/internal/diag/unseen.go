package diag

// CutList is what a list of jobs is that lacks some, where nothing tells why, as the end of a sentence.
const CutList = "is cut off, or of one's own jobs alone, or was printed at another time"

// AllOf says that all jobs of what is told are of one user or account, where nothing tells whether others have any, and what prints those of all.
func AllOf(what, whose, others, prints string) string {
	return "all jobs of " + what + " are of " + whose + ", and nothing tells whether " + others + " (" + prints + ")"
}

// LacksMuch reports whether a list of jobs lacks so much of what nodes say is in use that it cannot have all jobs: the list and
// the nodes are printed one after the other. Less than least is no sign of anything.
func LacksMuch(unseen, inUse, least float64) bool {
	const much = 0.1
	return unseen > much*inUse && unseen >= least
}

// OfTheseJobs returns the warning that answers are of some jobs alone.
func OfTheseJobs(which string) Remark {
	return Warningf("%s: ranks, limits and what waits are of these jobs alone", which)
}
