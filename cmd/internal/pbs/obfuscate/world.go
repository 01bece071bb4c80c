package obfuscate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
)

// serverLogs rewrites what the server's logs tell of vnodes. Nothing else of them is kept.
func (o *obfuscator) serverLogs() error {
	for _, log := range o.from.KeptServerLogs() {
		var events []world.VnodeEvent
		err := log.Read(func(plain *bufio.Reader) (err error) {
			events, _, err = world.ReadVnodeEvents(nil, plain, time.UTC) // and written in the same zone
			return err
		})
		if err != nil {
			return err
		}
		var text bytes.Buffer
		z := gzip.NewWriter(&text)
		for _, e := range events {
			e.At += o.shift.Seconds()
			e.Vnode, e.Resource = o.vnode(e.Vnode), o.resourceName(e.Resource)
			fmt.Fprintln(z, e.ServerLine(time.UTC))
		}
		if err := z.Close(); err != nil {
			return err
		}
		o.serverLog = append(o.serverLog, file.Source{Name: o.logName(path.Base(log.Name)) + snapshot.Packed, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(text.Bytes())), nil
		}})
	}
	return nil
}

// status rewrites what pbs_rstat -f prints of reservations.
func (o *obfuscator) status() error {
	from := o.from.First(snapshot.Reservations)
	if !from.IsGiven() {
		return nil
	}
	text, err := from.Text(file.MostPrinted)
	if err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%v", err))
		return nil
	}
	var out strings.Builder
	text = strings.NewReplacer("\r", "", "\n\t", "").Replace(text) // a tab continues a value
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if id, isFirst := strings.CutPrefix(line, "Resv ID:"); isFirst {
			fmt.Fprintf(&out, "Resv ID: %s\n", o.id(strings.TrimSpace(id)))
			continue
		}
		name, value, isAttribute := strings.Cut(line, " = ")
		if !isAttribute {
			if line == "" {
				out.WriteString("\n")
			}
			continue
		}
		if name, value = o.logAttribute(name, value); name != "" {
			fmt.Fprintf(&out, "%s = %s\n", name, value)
		}
	}
	o.files[from.Member] = []byte(out.String())
	return nil
}

var (
	isRule  = pattern.Of(`^[A-Z]+=[-+0-9A-Z,]+(;[A-Z]+=[-+0-9A-Z,]+)*$`)
	isUntil = pattern.Of(`UNTIL=([0-9]{8})`)
)

// rule returns a rule by which a reservation comes again, whose end is moved.
func (n *names) rule(text string) string {
	if !isRule().MatchString(text) {
		return ""
	}
	return isUntil().ReplaceAllStringFunc(text, func(until string) string {
		const layout = "20060102"
		day, err := time.Parse(layout, strings.TrimPrefix(until, "UNTIL="))
		if err != nil {
			return until
		}
		return "UNTIL=" + day.AddDate(0, 0, 7*n.shift.Weeks).Format(layout)
	})
}

// zone returns the name of a time zone, by which a reservation comes again.
func (n *names) zone(text string) string {
	if _, err := time.LoadLocation(text); err != nil || text == "Local" {
		return ""
	}
	return text
}

// takenAt returns when the snapshot was taken, in UTC.
func (o *obfuscator) takenAt() time.Time {
	taken, ok := o.from.Taken()
	if !ok {
		taken = time.Now()
	}
	return taken.UTC()
}

// keepYear moves the snapshot further until no year begins near it: a file of holidays is of
// one year alone.
func (o *obfuscator) keepYear() {
	const before, after = 35, 14 // days of logs, and of what a replay may come to
	text, ok := o.priv(pbs.HolidaysFile)
	if hours, _ := world.ParseHours(text, "", time.UTC); !ok || !hours.Changes() || o.shift.Weeks == 0 {
		return
	}
	isWithin := func(at time.Time) bool { return at.AddDate(0, 0, -before).Year() == at.AddDate(0, 0, after).Year() }
	taken := o.takenAt()
	for isWithin(taken) && !isWithin(taken.AddDate(0, 0, 7*o.shift.Weeks)) {
		o.shift.Weeks--
	}
}

// hours rewrites holidays and dedicated_time: their times, without the names of holidays.
func (o *obfuscator) hours() error {
	files := map[string]func(words []string) string{pbs.HolidaysFile: o.holiday(), pbs.DedicatedFile: o.dedicated}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		rewrite := files[name]
		text, ok := o.priv(name)
		if !ok {
			continue
		}
		var out strings.Builder
		lost := 0
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' || line[0] == '*' {
				continue
			}
			if moved := rewrite(strings.Fields(line)); moved != "" {
				out.WriteString(moved + "\n")
			} else {
				lost++
			}
		}
		if lost > 0 {
			o.remarks = append(o.remarks, diag.Warningf("%s: %s left out", name, report.Count(lost, "line")))
		}
		o.files[o.privPath(name)] = []byte(out.String())
	}
	return nil
}

// isHour finds the times and words of a line about days of the week.
var isHour = pattern.Of(`(?i)^([0-9]{1,4}|all|none)$`)

// holiday returns what rewrites the lines of holidays, whose days are moved with all others.
func (o *obfuscator) holiday() func(words []string) string {
	year := o.takenAt().Year()
	moved := o.takenAt().AddDate(0, 0, 7*o.shift.Weeks).Year() - year
	const oldest = 1970 // year, as files of old begin with
	return func(words []string) string {
		if strings.EqualFold(words[0], "YEAR") {
			words = words[1:]
		}
		if len(words) == 0 {
			return ""
		}
		number, err := strconv.Atoi(words[0])
		switch {
		case err == nil && number >= oldest && number <= 9999:
			year = number
			return "YEAR " + strconv.Itoa(year+moved)
		case err == nil && number >= 1 && number <= 366:
			day := time.Date(year, time.January, number, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*o.shift.Weeks)
			if day.Year() != year+moved {
				return "# a day of another year"
			}
			return fmt.Sprintf("%d %s Holiday", day.YearDay(), day.Format("Jan 2"))
		case len(words) > 2 && isHour().MatchString(words[1]) && isHour().MatchString(words[2]) && isDayName().MatchString(words[0]):
			return strings.Join(words[:3], " ")
		}
		return ""
	}
}

var isDayName = pattern.Of(`(?i)^(weekday|(sun|mon|tues|wednes|thurs|fri|satur)day)$`)

// dedicated rewrites a line of dedicated_time.
func (o *obfuscator) dedicated(words []string) string {
	const (
		layout = "1/2/2006 15:04"
		needed = 4
	)
	if len(words) < needed {
		return ""
	}
	var moved []string
	for i := 0; i < needed; i += 2 {
		at, err := time.Parse(layout, words[i]+" "+words[i+1])
		if err != nil {
			return ""
		}
		moved = append(moved, at.AddDate(0, 0, 7*o.shift.Weeks).Format("01/02/2006 15:04"))
	}
	return strings.Join(moved, " ")
}
