package site

import (
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/fstree"
)

// SetTime sets what of a site depends on the time at which its place was taken: whether the
// settings of prime or of non-prime time hold, which queues are open then, and which
// reservations have begun. With isNonPrime it is non-prime time whatever the place tells. Each of several schedulers goes by its own
// hours, which hold for the queues whose jobs it places.
func (p *Place) SetTime(s *pbs.Site, isNonPrime bool) []diag.Remark {
	remarks := p.setTime(s, isNonPrime)
	for _, other := range s.Others {
		remarks = diag.Further(remarks, p.setTime(other, isNonPrime), "scheduler "+other.Scheduler.Name+": ") // the zone they have in common
	}
	return remarks
}

// setTime does what SetTime does, for one scheduler.
func (p *Place) setTime(s *pbs.Site, isNonPrime bool) []diag.Remark {
	s.NonPrime, s.Closed = isNonPrime, map[string]string{}
	remarks := p.closeReservations(s)
	if s.SchedPriv == nil || s.SchedPriv.Dir.FS == nil {
		return remarks
	}
	config := s.SchedPriv.Config
	hours, problems := world.ReadHours(s.SchedPriv.Dir, p.Local().Zone, p.Zone())
	for _, problem := range problems {
		problem.File = s.SchedPriv.NameOf(problem.File)
		remarks = append(remarks, problem.Remark())
	}
	hasOwn := func(q pbs.Queue) bool { return config.Hours.KindOf(q.Name) != fstree.Anytime && s.Places(q.Name) }
	hasHours := !config.Prime.Equal(config.NonPrime) || slices.ContainsFunc(s.Queues, hasOwn)
	if at := p.Taken.Unix(); !p.Taken.IsZero() && hours.Matters(at) && hasHours && !p.Local().IsTold() {
		remarks = append(remarks, diag.Notef("holidays and dedicated_time are read in this machine's time, %s: nothing tells the site's (--tz ZONE)", moment.ZoneName(time.Local, at)))
	}
	if p.Taken.IsZero() {
		if !isNonPrime && hours.Changes() && !config.Prime.Equal(config.NonPrime) {
			remarks = append(remarks, diag.Notef("the settings of prime time are taken to hold: nothing tells when the list was made (--non-prime)"))
		}
		return remarks
	}
	at := p.Taken.Unix()
	if other := hours.OtherYear(at); other != "" && !isNonPrime && !config.Prime.Equal(config.NonPrime) {
		remarks = append(remarks, ofHolidays(s, other))
	}
	isPrime := hours.IsPrime(at) && !isNonPrime
	if !isPrime && !isNonPrime && !config.Prime.Equal(config.NonPrime) {
		remarks = append(remarks, diag.Notef("%s was non-prime time by holidays: its settings hold", p.Taken.Format(moment.Layout)))
	}
	s.NonPrime = !isPrime
	for _, q := range s.Queues {
		if why := closed(hours, config.Hours.KindOf(q.Name), at, isPrime); why != "" && s.Places(q.Name) {
			s.Closed[q.Name] = "queue " + q.Name + " " + why
		}
	}
	return remarks
}

// CheckHours returns what is wrong with what tells the hours of one scheduler, its holidays and dedicated_time, as SetTime warns of it.
// A file of holidays that is given alone is taken to be in force now.
func (p *Place) CheckHours(s *pbs.Site) []diag.Remark {
	own := *s // whose time stays as it is
	remarks := slices.DeleteFunc(p.setTime(&own, false), func(r diag.Remark) bool { return r.Kind != diag.Warning || r.IsDamage })
	if p.part == "" || !s.SchedPriv.Has(pbs.HolidaysFile) {
		return remarks
	}
	now := time.Now().Unix()
	if hours, _ := world.ReadHours(s.SchedPriv.Dir, p.Local().Zone, p.Zone()); hours.IsPast(now) {
		remarks = append(remarks, ofHolidays(s, hours.OtherYear(now)))
	}
	return remarks
}

// ofHolidays warns of the file of holidays.
func ofHolidays(s *pbs.Site, text string) diag.Remark {
	return diag.Warningf("%s", text).At(s.SchedPriv.NameOf(pbs.HolidaysFile), 0)
}

// closed says why queues of a kind are closed at a time, "" if they are open.
func closed(hours *world.Hours, kind fstree.HourKind, at int64, isPrime bool) string {
	dedicated, isDedicated := hours.Dedicated(at)
	switch {
	case isDedicated && kind != fstree.DedicatedOnly:
		return "waits for the end of dedicated time at " + hours.Clock(dedicated.To)
	case isDedicated:
		return ""
	case kind == fstree.DedicatedOnly && dedicated == world.Span{}:
		return "is open in dedicated time only, of which there is no more"
	case kind == fstree.DedicatedOnly:
		return "is open in dedicated time only, which begins at " + hours.Clock(dedicated.From)
	case kind == fstree.PrimeOnly && !isPrime:
		return "is open in prime time only" + next(hours, at, false)
	case kind == fstree.NonPrimeOnly && isPrime:
		return "is open in non-prime time only" + next(hours, at, true)
	}
	return ""
}

// next says when prime or non-prime time begins next, "" where it is not told or, as what
// holds was chosen, has begun.
func next(hours *world.Hours, at int64, isPrime bool) string {
	change := hours.NextPrimeChange(at)
	if change == world.Never || hours.IsPrime(at) != isPrime {
		return ""
	}
	return ", which begins at " + hours.Clock(change)
}

// closeReservations closes the queues of reservations that have not begun.
func (p *Place) closeReservations(s *pbs.Site) []diag.Remark {
	all, remarks := readStatus(p.Resvs, p.Local().Zone)
	s.Reserved = map[string]bool{}
	for _, r := range all {
		s.Reserved[r.Queue] = true
		switch {
		case len(r.Holds) == 0:
			s.Closed[r.Queue] = "reservation " + r.ID + " is not confirmed"
		case !p.Taken.IsZero() && r.Holds[0].Start > p.Taken.Unix() && r.State != "RUNNING":
			s.Closed[r.Queue] = "reservation " + r.ID + " begins at " + time.Unix(r.Holds[0].Start, 0).In(p.Zone()).Format("2006-01-02 15:04")
		}
	}
	return remarks
}

// Reservations returns the reservations that pbs_rstat -f prints of a place, and remarks on those that could not be read. isTold
// reports whether what it prints is there at all.
func (p *Place) Reservations() (all []*world.Reservation, isTold bool, remarks []diag.Remark) {
	all, remarks = readStatus(p.Resvs, p.Local().Zone)
	return all, p.Resvs.IsGiven(), remarks
}

// readStatus returns the reservations of what pbs_rstat -f prints.
func readStatus(from file.Source, zone *time.Location) ([]*world.Reservation, []diag.Remark) {
	if !from.IsGiven() {
		return nil, nil
	}
	const most = 1 << 26
	text, err := from.Text(most)
	if err != nil {
		return nil, []diag.Remark{diag.Damagef("%v", err)}
	}
	all, problems := world.ParseStatus(text, zone)
	var remarks []diag.Remark
	for _, problem := range problems[:min(len(problems), 3)] {
		remarks = append(remarks, diag.Damagef("%s: %v", from.Name, problem))
	}
	var unknown pbs.Unknown
	for _, r := range all {
		for _, name := range r.Unknown {
			unknown.Add(name, r.ID)
		}
	}
	return all, append(remarks, unknown.Say(from.Name+" has")...)
}
