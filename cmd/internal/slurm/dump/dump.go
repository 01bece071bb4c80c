// Package dump reads what a Slurm site prints of itself: a folder or an archive of the output
// of scontrol, sprio, sshare, sacctmgr and squeue, each told by what is in it, or what a live site answers.
package dump

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
)

// Part is what one of Slurm's commands printed, or a slurm.conf.
type Part = file.Printed[Kind]

// Dump is what a site prints of itself: the view of one person at one moment, as a folder or an archive keeps it or
// as a live site answers.
type Dump struct {
	Name    string
	Remarks []diag.Remark // on what could not be read
	Parts   []Part

	tree         *file.Tree              // where they are, nil for a live site
	besides      map[string]slurm.Beside // what beside returns, by the member
	asked        time.Time               // when a live site was
	settings     map[string]string       // what Config returns, nil before it is asked
	settingLines map[string]slurm.Place  // of slurm.conf

	updatedAt atomic.Pointer[time.Time] // what updated returns, nil before it is asked
	local     atomic.Pointer[localTime] // what Marks and Zone return, nil before it is asked
	records   sync.Map                  // what Records returns, by the kind
	listed    sync.Map                  // what parseListed returns, by the text
}

// MissingError is what a site lacks and cannot do without.
type MissingError = file.MissingError

// Lacks returns that a site lacks something, with what it has where that is of one or two of Slurm's commands.
func (d *Dump) Lacks(what string) *MissingError {
	var has []string
	for _, p := range d.Parts {
		is := strings.TrimSuffix(parts[p.Kind], ",")
		if p.Kind == KindConf {
			is = aConf
		}
		if is != "" && !slices.Contains(has, is) {
			has = append(has, is)
		}
	}
	const few = 2
	if len(has) > few {
		has = nil
	}
	return &MissingError{Name: d.Name, What: what, Has: strings.Join(has, " and ")}
}

// IsMissing reports whether an error says that there is nothing of a Slurm site.
func IsMissing(err error) bool {
	var none *NotSiteError
	return errors.As(err, &none)
}

// NotSiteError is a folder or an archive that has nothing of a Slurm site, or a file that is one part of it.
type NotSiteError struct {
	Name string
	Is   string // the part that it is, in words; "" for none
}

func (e *NotSiteError) Error() string {
	if e.Is != "" {
		text := fmt.Sprintf("%s is %s; a Slurm site is a folder or a .tgz with what several of its commands print, and formula collect --slurm site.tgz writes one", e.Name, e.Is)
		if strings.Contains(e.Is, "squeue") || strings.Contains(e.Is, "sprio") {
			text += "; a folder with squeue, sprio -l or both is read as well"
		}
		if strings.Contains(e.Is, "sacct") {
			text += "; what jobs were given and used is answered by formula history " + e.Name + ", and of one by --job ID with it"
		}
		return text
	}
	return e.Name + " has nothing that Slurm's commands print, such as scontrol show job and sprio -l"
}

// All returns the parts of a kind.
func (d *Dump) All(k Kind) []Part { return file.OfKind(d.Parts, k) }

// Only returns the parts of some kinds alone.
func (d *Dump) Only(kinds ...Kind) *Dump {
	of := &Dump{Name: d.Name, tree: d.tree, besides: d.besides}
	for _, p := range d.Parts {
		if slices.Contains(kinds, p.Kind) {
			of.Parts = append(of.Parts, p)
		}
	}
	of.local.Store(d.localTime()) // which other parts may tell
	return of
}

// Table returns the table of a kind that is parted by pipes, and not cut to widths: that with most
// columns, the first of several. Where there is none it is JSON, and else its text is "".
func (d *Dump) Table(k Kind) (best Part) {
	most := 0
	for _, p := range d.All(k) {
		header, _, _ := strings.Cut(strings.TrimLeft(p.Text, " \t\r\n"), "\n")
		if n := strings.Count(header, "|"); n > most && !slurm.IsJSON(p.Text) {
			best, most = p, n
		}
	}
	if best.Text == "" {
		if at := slices.IndexFunc(d.All(k), func(p Part) bool { return slurm.IsJSON(p.Text) }); at >= 0 {
			best = d.All(k)[at]
		}
	}
	return best
}

// Config returns a setting of slurmctld by its name in lower case: as scontrol show config prints it,
// or as slurm.conf has it.
func (d *Dump) Config(name string) string {
	if d.settings == nil {
		d.settings, d.settingLines = map[string]string{}, map[string]slurm.Place{}
		for _, p := range d.All(KindConfig) {
			for key, value := range printedSettings(p.Text) {
				d.set(key, value, slurm.Place{})
			}
		}
		if confs := d.confs(); len(confs) > 0 {
			p := confs[0]
			for _, s := range slurm.ConfSettings(p.Text, d.beside(p)) {
				d.set(s.Name, s.Value, s.At)
			}
		}
	}
	return d.settings[name]
}

// printedSettings returns what scontrol show config prints: names in lower case, and their values.
func printedSettings(text string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for line := range strings.Lines(text) {
			key, value, isSet := strings.Cut(line, "=")
			if isSet && !yield(strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// set takes in a setting that scontrol prints, whose place is zero, or a slurm.conf has, where none of its name is known.
func (d *Dump) set(key, value string, at slurm.Place) {
	if key = strings.ToLower(strings.TrimSpace(key)); d.settings[key] == "" && copies[KindConfig][key] != slurm.CopyNot {
		d.settings[key], d.settingLines[key] = value, at
	}
}

// Where returns where slurm.conf has a setting, such as "line 7: ", and "" for one that is not of a slurm.conf.
func (d *Dump) Where(name string) string {
	if d.Config(name) == "" || d.settingLines[name].Line == 0 {
		return ""
	}
	return d.settingLines[name].String() + ": "
}

// Denied says what Slurm refused to print.
func (d *Dump) Denied() (remarks []diag.Remark) {
	for _, p := range d.All(KindDenied) {
		remarks = append(remarks, diag.Warningf("%s: Slurm refused this (PrivateData), so that what it would say is not known", p.Name))
	}
	return remarks
}

// Cut says which files end in the middle of a line: what Slurm prints ends with a line break.
func (d *Dump) Cut() (remarks []diag.Remark) {
	for _, p := range d.Parts {
		if isCut(p) {
			remarks = append(remarks, diag.Damagef("%s ends in the middle of a line: it is cut off, and what is missing is not known", p.Name))
		}
	}
	return remarks
}

// isCut reports whether a print ends in the middle of a line.
func isCut(p Part) bool {
	isTable := p.Kind != KindUnknown && p.Kind != KindConf && p.Kind != KindDenied && !strings.HasPrefix(p.Text, "{")
	return isTable && !strings.HasSuffix(p.Text, "\n")
}

// HasCutList reports whether a list of jobs is cut off, and may lack some.
func (d *Dump) HasCutList() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool { return (p.Kind == KindJobs || p.Kind == KindQueue) && isCut(p) })
}

// asOf is what says when scontrol show config was asked.
var asOf = pattern.Of(`^Configuration data as of (\S+)`)

// Taken returns when the site was asked: as scontrol show config says, or else the last time that
// the jobs or JSON tell of, which of the latter is that of UTC.
func (d *Dump) Taken() time.Time {
	at := d.printedAt()
	if at.IsZero() {
		at = d.updated()
	}
	return at
}

// IsUTC reports whether the times of a site are those of UTC, as where JSON alone tells them.
func (d *Dump) IsUTC() bool { return d.printedAt().IsZero() && !d.updated().IsZero() }

// printedAt returns when the site was asked in its own zone, zero where nothing tells it.
func (d *Dump) printedAt() time.Time {
	for _, p := range d.All(KindConfig) {
		if at := configuredAt(p); !at.IsZero() {
			return at
		}
	}
	var last time.Time
	for _, p := range d.All(KindJobs) {
		if at := listedAt(p); at.After(last) {
			last = at
		}
	}
	return last
}

// configuredAt returns when scontrol show config was asked, zero where it does not say it.
func configuredAt(p Part) time.Time {
	if m := asOf().FindStringSubmatch(p.Text); m != nil {
		if t, err := time.Parse(TimeLayout, m[1]); err == nil {
			return t
		}
	}
	return time.Time{}
}

// listedAt returns when the scheduler looked at a job of a list last, or one was submitted, zero where neither is told.
func listedAt(p Part) time.Time { return lastOf(p.Text, "LastSchedEval=", "SubmitTime=") }

// lastOf returns the last time that what scontrol prints of jobs has of some names.
func lastOf(text string, names ...string) (last time.Time) {
	for _, name := range names {
		_, rest, _ := strings.Cut(text, name)
		for value := range strings.SplitSeq(rest, name) {
			if t, err := time.Parse(TimeLayout, value[:min(len(value), len(TimeLayout))]); err == nil && t.After(last) {
				last = t
			}
		}
	}
	return last
}

// TimeLayout is how Slurm prints times.
const TimeLayout = "2006-01-02T15:04:05"

// Set makes a text a part of a name, in place of one that has it.
func (d *Dump) Set(name, text string) {
	d.settings = nil
	d.updatedAt.Store(nil)
	d.local.Store(nil)
	d.records.Clear()
	d.listed.Clear()
	p := Part{Source: file.Source{Name: d.Name + ": " + name, Member: name}, Kind: KindOf(text), Text: text}
	if at := slices.IndexFunc(d.Parts, func(old Part) bool { return old.File() == name }); at >= 0 {
		d.Parts[at] = p
		return
	}
	d.Parts = append(d.Parts, p)
}

// Text returns what the part of a name says, "" for none.
func (d *Dump) Text(name string) string {
	if at := slices.IndexFunc(d.Parts, func(p Part) bool { return p.File() == name }); at >= 0 {
		return d.Parts[at].Text
	}
	return ""
}

// Empty returns a dump of the same moment that has nothing yet.
func (d *Dump) Empty() *Dump {
	return d.EmptyAt(d.Moment())
}

// EmptyAt returns a dump of some other moment that has nothing yet.
func (d *Dump) EmptyAt(at time.Time) *Dump {
	return &Dump{Name: d.Name, Remarks: slices.Clone(d.Remarks), asked: at}
}

// Write writes the files as an archive or, where the name does not end as an archive's, as a new
// folder: whole, or not at all.
func (d *Dump) Write(name string) error {
	return file.WriteAll(name, d.Moment(), func(f func(string, []byte) error) error {
		for _, p := range d.Parts {
			if err := f(p.File(), []byte(p.Text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Moment returns when a site was asked, now where nothing tells it.
func (d *Dump) Moment() time.Time {
	at := d.asked
	if at.IsZero() {
		at = d.Taken()
	}
	if at.IsZero() {
		at = time.Now()
	}
	return at
}
