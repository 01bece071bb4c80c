package slurmsite

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/sacct"
	"fairshare/cmd/internal/slurmsched"
)

// licensed is what concerns all jobs that ask for licences.
var licensed = slurmsched.Whose{Partition: -1, QOS: -1, Account: -1, IsLicensed: true}

// readLicences reads how many licences of each name the cluster has: from scontrol show lic, which has those
// of other servers as well, or else from scontrol show config.
func (r *schedulerReader) readLicences() {
	s := r.setup
	var reserved []string
	for _, l := range records(r.folder.all(isLicences), "LicenseName") {
		s.Licences = append(s.Licences, slurmsched.Licence{Name: l["licensename"], Total: int64(min(number(l["total"], 0), math.MaxInt32))})
		if n := number(l["reserved"], 0); n > 0 {
			reserved = append(reserved, fmt.Sprintf("%s:%s", l["licensename"], report.Plain(n)))
		}
	}
	if len(reserved) > 0 {
		r.ignore(licensed, "that reservations keep licences (%s), which all jobs get here,", report.First(reserved))
	}
	if s.Licences != nil {
		return
	}
	var ok bool
	if s.Licences, ok = slurmsched.ParseLicences(r.folder.config("licenses")); !ok {
		r.site.say(diag.Warningf("the licences of the site cannot be read (%s): jobs do not wait for them", r.folder.config("licenses")))
	}
}

// licences finds the licences that a job asked for: those that ReqTRES counts, or where the site does not
// count them there, those of the column Licenses or of its submission.
func (r *recordReader) licences(x *Recorded, row *sacct.Row, options []slurmsched.Option) {
	var list []slurmsched.Licence
	for name, n := range x.TRES {
		if licence, ok := strings.CutPrefix(name, "license/"); ok {
			list = append(list, slurmsched.Licence{Name: licence, Total: int64(min(n, math.MaxInt32))})
		}
	}
	text := strings.TrimPrefix(string(row.Text(sacct.Licenses)), "(null)")
	for _, o := range options {
		if text == "" && (o.Name == "L" || o.Name == "licenses") {
			text = o.Value
		}
	}
	if list == nil {
		var ok bool
		if list, ok = slurmsched.ParseLicences(text); !ok {
			x.notes = append(x.notes, "asked for licences in a way that is not modelled, and are replayed without them")
		}
	}
	var others []string
	if x.Licences, others = r.setup.Licensed(list); len(others) > 0 {
		x.notes = append(x.notes, "asked for licences that the site does not have, and are replayed without them")
	}
}

// setLicences changes how many of some licences there are.
func setLicences(setup *slurmsched.Setup, x *setting) error {
	var names []string
	for i := range setup.Licences {
		l := &setup.Licences[i]
		if strings.EqualFold(l.Name, x.of) {
			l.Total = int64(x.number)
			return nil
		}
		names = append(names, l.Name)
	}
	if names == nil {
		return errors.New("the site has no licences")
	}
	return errors.New(report.NoSuch("licence", x.of, names))
}
