package diag

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// MayHaveEnded says why a list may have no job of a name.
const MayHaveEnded = "it may have ended, or the list may lack the jobs of others"

// NoJobError says that a list has no job, or none that waits, of a name.
type NoJobError struct {
	Name      string
	OfWaiting bool // whether only jobs that wait are looked at
}

func (e *NoJobError) Error() string {
	if apart := strings.ReplaceAll(e.Name, ",", " "); apart != e.Name && !strings.Contains(e.Name, "[") {
		return "there is no job " + e.Name + ": write blanks between the IDs of jobs (" + apart + ")"
	}
	if e.OfWaiting {
		return "no job " + e.Name + " waits in the list: it may run or have ended, or the list may lack the jobs of others"
	}
	return "there is no job " + e.Name + " in the list: " + MayHaveEnded
}

// CheckNames returns warnings for those of some wanted names of a kind that a site does not have, each with one that was meant
// perhaps: what is asked of the others is answered, in part. Where it has none of them, the last is a *RequestError.
func CheckNames(kind string, wanted, there []string) (remarks []Remark, err error) {
	var missing []string
	for _, name := range wanted {
		if !slices.Contains(there, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 && len(missing) == len(wanted) {
		last := len(missing) - 1
		err, missing = Requestf("%s", report.NoSuch(kind, missing[last], there)), missing[:last]
	}
	for _, name := range missing {
		remarks = append(remarks, Damagef("%s", report.NoSuch(kind, name, there)))
	}
	return remarks, err
}

// NoJobOfUser returns a *RequestError that says in some words that a user has no job, or, of one who is not among the users of a
// site, who these are.
func NoJobOfUser(user string, users []string, words string) error {
	if slices.Contains(users, user) {
		return Requestf("%s", words)
	}
	return Requestf("%s", report.NoSuch("user", user, users))
}

// NoneOf says that no job is chosen of names that a site has.
func NoneOf(names []string, what string) Remark {
	return Notef("no job of %s %s", strings.Join(names, ", "), what)
}

// NoJobOf returns warnings for those of some wanted names that no job has, each with one that
// was meant perhaps.
func NoJobOf(kind string, wanted, there []string) []Remark {
	var remarks []Remark
	for _, name := range wanted {
		if !slices.Contains(there, name) {
			remarks = append(remarks, Warningf("no job matches: %s", report.NoSuch(kind, name, there)))
		}
	}
	return remarks
}
