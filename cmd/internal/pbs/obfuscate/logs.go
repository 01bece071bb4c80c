package obfuscate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// readLogs rewrites the accounting logs line by line. They are kept packed.
func (o *obfuscator) readLogs() error {
	used := map[string]bool{}
	unreadable := 0
	for _, log := range o.from.KeptLogs() {
		var text bytes.Buffer
		n, err := o.log(&text, log)
		if err != nil {
			return fmt.Errorf("%s: %w", log.Name, err)
		}
		unreadable += n
		name := o.logName(path.Base(log.Name))
		for used[name] {
			name += "-again"
		}
		used[name] = true
		o.logs = append(o.logs, file.Source{Name: name + snapshot.Packed, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(text.Bytes())), nil
		}})
	}
	if unreadable > 0 {
		is := "is"
		if unreadable > 1 {
			is = "are"
		}
		o.remarks = append(o.remarks, diag.Damagef("%s of the accounting logs cannot be read and %s left out", report.Count(unreadable, "line"), is))
	}
	return nil
}

// isDay finds the day in the name of an accounting log.
var isDay = pattern.Of(`^[0-9]{8}`)

// logName returns the name of a log: the day that it is of.
func (o *obfuscator) logName(name string) string {
	const layout = "20060102"
	day, err := time.Parse(layout, isDay().FindString(name))
	if err != nil {
		return o.Make("log-")
	}
	return o.shift.Move(day).Format(layout)
}

// log rewrites a log and returns the number of lines that cannot be read, which are those
// that history tells.
func (o *obfuscator) log(out io.Writer, from file.Source) (unreadable int, err error) {
	damaged, err := trace.Damaged(from)
	if err != nil {
		return 0, err
	}
	z := gzip.NewWriter(out)
	err = file.EachLine(from, func(number int, line []byte) error {
		if damaged[number] || len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		record, why := trace.ParseLine(line)
		if why != "" {
			damaged[number] = true
			return nil
		}
		o.record(&record)
		_, err := io.WriteString(z, record.String()+"\n")
		return err
	}, func(number int, _ string) { damaged[number] = true })
	return len(damaged), errors.Join(err, z.Close())
}

// dependText begins what the server says of a job whose dependencies can no longer be met.
const dependText = "Job deleted as result of dependency on job "

// record rewrites a line of a log. Words before the attributes, and attributes that
// are not known, are left out.
func (o *obfuscator) record(r *trace.Line) {
	r.Stamp = r.Stamp.AddDays(7 * o.shift.Weeks)
	if r.ID != "license" {
		r.ID = o.id(r.ID)
	}
	if job, isDepend := strings.CutPrefix(r.Text, dependText); isDepend && jobID().MatchString(job) {
		r.Text = dependText + o.id(job)
	} else {
		r.Text = ""
	}
	kept := r.Attributes[:0]
	for _, a := range r.Attributes {
		if a.Name, a.Value = o.logAttribute(a.Name, a.Value); a.Name != "" {
			a.Blanks = 1
			kept = append(kept, a)
		}
	}
	r.Attributes = kept
}

// logAttribute returns an attribute of a record, "" for one that is left out.
func (o *obfuscator) logAttribute(name, value string) (string, string) {
	if how, isKept := jobCopies[name]; isKept {
		if value = o.copied(how, "", value); value == "" {
			name = ""
		}
		return name, value
	}
	base, resource, _ := strings.Cut(name, ".")
	switch base {
	case "Resource_List", "resource_assigned":
		return base + "." + o.resourceName(resource), o.resource(resource, value)
	case "resources_used":
		if _, isOwn := pbs.OwnResource(resource); isOwn && isAmount().MatchString(value) {
			return name, value
		}
	}
	return "", ""
}
