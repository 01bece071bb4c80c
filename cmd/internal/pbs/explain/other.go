package explain

import (
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/order"
)

// Other returns the row of the job that one is compared with: the one of an ID, or for
// "ahead" and "first" the one just before it and the first one.
func Other(o *order.Order, row int, name string) (int, error) {
	place := o.Place(row)
	switch {
	case name != "ahead" && name != "first":
		return o.List.Find(name)
	case place == 0:
		return 0, diag.Requestf("%s is not considered (%s), so that no job is %s of it", o.List.Job(row).ID, o.Reason(row), name)
	case place == 1:
		return 0, diag.Requestf("%s is the first job: nobody is ahead of it", o.List.Job(row).ID)
	case name == "first":
		return int(o.Rows[0]), nil
	}
	return int(o.Rows[place-2]), nil
}
