package explain

import (
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
)

// Other returns the row of the job that one is compared with: the one of an ID, or the first one of a user, or for
// "ahead" and "first" the one just before it and the first one.
func Other(o *order.Order, row int, name string) (int, error) {
	job := o.List.Job(row).ID
	place, err := compare.Neighbour(name, job, o.Place(row), diag.Requestf("%s is not considered (%s), so that no job is %s of it", job, o.Reason(row), name))
	switch {
	case err != nil:
		return 0, err
	case place > 0:
		return int(o.Rows[place-1]), nil
	}
	return compare.Named(name, o.List.Find, o.FirstOf, joblist.LooksLikeID)
}

// PlacesOf returns where the jobs of the users of two rows stand.
func PlacesOf(o *order.Order, a, b int) []compare.Places {
	user := func(row int) string { return o.List.Users.List[o.List.Job(row).User] }
	rows := func(yield func(int) bool) {
		for row := range o.List.Len() {
			if !yield(row) {
				return
			}
		}
	}
	return compare.PlacesOf([2]string{user(a), user(b)}, rows, func(row int) (string, int, string, string) {
		return user(row), o.Place(row), o.List.Job(row).ID, o.Reason(row)
	})
}
