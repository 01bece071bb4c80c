package diag

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// MayHaveEnded says why a list may have no job of a name.
const MayHaveEnded = "it may have ended, or the list may lack the jobs of others"

// NoJobError says that a list has no job, or none that waits, of a name or of a user.
type NoJobError struct {
	Name      string
	OfUser    string // what is said of a user who has none, "" for a job of a name
	OfWaiting bool   // whether only jobs that wait are looked at
	IsInDoubt bool   // whether rows of the list are left out, each of which may be any job
}

func (e *NoJobError) Error() string {
	if e.OfUser != "" {
		if e.IsInDoubt {
			return e.OfUser + "; but one that is left out, since it cannot be read, may be theirs"
		}
		return e.OfUser
	}
	if apart := strings.ReplaceAll(e.Name, ",", " "); apart != e.Name && !strings.Contains(e.Name, "[") {
		return "there is no job " + e.Name + ": write blanks between the IDs of jobs (" + apart + ")"
	}
	switch {
	case e.IsInDoubt && e.OfWaiting:
		return "no job " + e.Name + " waits among those that can be read: it may be one that is left out, or run, or have ended"
	case e.IsInDoubt:
		return "there is no job " + e.Name + " among those that can be read: it may be one that is left out, or have ended, or the list may lack the jobs of others"
	case e.OfWaiting:
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
	if !slices.Contains(users, user) {
		words = report.NoSuch("user", user, users)
	}
	return &RequestError{&NoJobError{OfUser: words}}
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
