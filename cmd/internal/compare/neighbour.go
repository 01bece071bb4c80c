package compare

import (
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Neighbour returns the rank of the job that another one of a rank is compared with by name: of the one just before it
// for "ahead", and 1 for "first"; 0 for any other name, which is that of a job. It is a *diag.RequestError for a job that
// has nobody before it, and unranked for one that is not considered, whose rank is 0.
func Neighbour(name, job string, rank int, unranked error) (int, error) {
	switch {
	case name != "ahead" && name != "first":
		return 0, nil
	case rank == 0:
		return 0, unranked
	case rank == 1:
		return 0, diag.Requestf("%s is the first job: nobody is ahead of it", job)
	case name == "first":
		return 1, nil
	}
	return rank - 1, nil
}

// Itself returns the error for a job that would be compared with itself.
func Itself(job string) error {
	return diag.Requestf("job %s would be compared with itself: name another one", job)
}

// Named returns what a name stands for that a job is compared with: the job that find returns, or else the one that first
// returns, a user's first one. A *diag.RequestError is for a name of neither that does not look like that of a job; for
// another one, the error is that of find.
func Named[R any](name string, find, first func(name string) (R, error), looksLikeJob func(name string) bool) (R, error) {
	job, err := find(name)
	if err == nil {
		return job, nil
	}
	of, none := first(name)
	if none == nil {
		return of, nil
	}
	if !looksLikeJob(name) {
		_, like, _ := strings.Cut(none.Error(), report.NoSuch("user", name, nil)) // who may be meant
		err = diag.Requestf("there is neither a job nor a user named %s%s", name, like)
	}
	return job, err
}
