package snapshot

import (
	"bufio"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/qstat"
)

// Taken returns when the snapshot was taken: as it tells, or when the lists in it were written. ok is false where neither is
// known.
func (s *Snapshot) Taken() (t time.Time, ok bool) {
	if t, ok = s.Told(); ok {
		return t, true
	}
	t, by, ok := s.Written()
	if ok {
		s.remark(SayWritten(by, t, ""))
	}
	return t, ok
}

// Told returns when the snapshot was taken, as it says itself, or a list in JSON says when it was made. ok is false where
// neither does.
func (s *Snapshot) Told() (t time.Time, ok bool) {
	if t, ok = s.ctime(); ok {
		return t, true
	}
	for _, part := range []Part{Jobs, Nodes, Queues} {
		for _, from := range s.All(part) {
			read := func(plain *bufio.Reader) error {
				begin, _ := plain.Peek(firstMembers)
				t, ok = qstat.MadeAt(begin)
				return nil
			}
			if err := from.Read(read); err == nil && ok {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// firstMembers is more than what stands in a list in JSON before what it is a list of.
const firstMembers = 1 << 10

// ctime returns when the snapshot was taken, as it says itself.
func (s *Snapshot) ctime() (t time.Time, ok bool) {
	from := s.members[takenPath]
	if !from.IsGiven() {
		return time.Time{}, false
	}
	const longest = 64
	text, err := from.Text(longest)
	seconds, _, _ := strings.Cut(strings.TrimSpace(text), ".")
	unix, wrong := strconv.ParseInt(seconds, 10, 64)
	if err != nil || wrong != nil || unix <= 0 {
		return time.Time{}, false
	}
	return time.Unix(unix, 0), true
}

// Written returns when the first list or table of jobs of prints was written, or else the first of vnodes: no text tells when it was
// printed. by is its name.
func (s *Snapshot) Written() (t time.Time, by string, ok bool) {
	if !s.isPrinted {
		return time.Time{}, "", false
	}
	for _, from := range slices.Concat([]file.Source{s.First(Jobs)}, s.tables, []file.Source{s.First(Nodes)}) {
		if !from.IsGiven() {
			continue
		}
		info, err := fs.Stat(s.tree.FS, s.within(from))
		if err != nil || info.ModTime().IsZero() {
			return time.Time{}, "", false
		}
		return info.ModTime().Truncate(time.Second), from.Name, true
	}
	return time.Time{}, "", false
}

// SayWritten says that when a list was written is taken for when it was printed. zone is that of this machine where nothing tells the site's,
// else "".
func SayWritten(name string, at time.Time, zone string) diag.Remark {
	if zone != "" {
		return diag.Notef("%s tells neither when it was printed nor the zone of its local times: taken are %s, when it was written, and %s, this machine's zone (qstat -f -F json and --tz ZONE tell)", name, at.Format(moment.Layout), zone)
	}
	return diag.Notef("%s does not tell when it was printed: taken is %s, when it was written (qstat -f -F json tells)", name, at.Format(moment.Layout))
}

// SayByJobs says that the time that jobs of a list tell is taken for when it was printed, and not when it was written. zone is as for
// SayWritten: that of the clock that all of it tells, so that answers are right by that clock whatever its zone is.
func SayByJobs(name string, at, written time.Time, zone string) diag.Remark {
	untold := ""
	if zone != "" {
		untold = fmt.Sprintf("; its local times are taken to be in %s, this machine's zone (--tz ZONE)", zone)
	}
	return diag.Generalf("%s does not tell when it was printed: taken is %s, by how long its jobs have run, since it cannot be of %s, when it was written (--at TIME)%s", name, at.Format(moment.Layout), written.Format(moment.Layout), untold)
}
