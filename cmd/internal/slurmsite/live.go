package slurmsite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/snapshot"
)

// command is what is asked of a live site, and the file that keeps the answer.
type command struct {
	name  string
	words []string
}

// ordering is how many of the commands tell all on which the order depends.
const ordering = 9

// beginning is how many tell all with which a forecast begins.
const beginning = ordering + 1

// commands are what a site is asked, what belongs to one moment next to each other. Their columns
// are in all versions of Slurm since 20.11.
var commands = []command{
	{"config.txt", []string{"scontrol", "show", "config"}},
	{"jobs.txt", []string{"scontrol", "show", "job"}},
	{"sprio.txt", []string{"sprio", "-o", "%i|%r|%u|%Y|%y|%A|%a|%B|%b|%F|%f|%J|%j|%N|%P|%p|%Q|%q|%S|%T|%t"}},
	{"sprio-l.txt", []string{"sprio", "-l"}},
	{"sshare.txt", []string{"sshare", "-a", "-l", "-P", "-m"}},
	{"partitions.txt", []string{"scontrol", "show", "partition"}},
	{"nodes.txt", []string{"scontrol", "show", "node"}},
	{"qos.txt", []string{"sacctmgr", "-P", "show", "qos"}},
	{"assoc.txt", []string{"sacctmgr", "-P", "show", "assoc"}},
	{"reservations.txt", []string{"scontrol", "show", "res"}},
	{"assoc_mgr.txt", []string{"scontrol", "show", "assoc_mgr"}},
	{"squeue.txt", []string{"squeue", "-a", "-o", "%i|%u|%a|%P|%q|%t|%r|%Q|%C|%D|%m|%b|%l|%V|%S"}},
	{"events.txt", []string{"sacctmgr", "-P", "show", "event", "all_time"}},
	{"licences.txt", []string{"scontrol", "show", "lic"}},
	{"sacct.txt", []string{"sacct", "-a", "-X", "-P", "-D", "--noconvert", "-S", "now-1days", "-o",
		"jobid,user,group,account,partition,qos,state,exitcode,submit,eligible,start,end,elapsedraw,timelimitraw,alloccpus,nnodes,reqmem,reqtres,alloctres,priority,nodelist"}},
	{"sdiag.txt", []string{"sdiag"}},
}

// unread are the files of which nothing is read, in whatever form they are.
var unread = []string{"sdiag.txt"}

// commandsName is the file that says when each command was run, and what came of it.
const commandsName = "commands.txt"

// ErrNoSlurm says that there is no live site to ask.
var ErrNoSlurm = errors.New("there is no scontrol on this host")

// Runner runs a command, and returns what it printed.
type Runner func(ctx context.Context, words []string) ([]byte, error)

// Here runs commands of this host, each within a time limit. ok is false where Slurm's are not
// there.
func Here(limit time.Duration) (run Runner, ok bool) {
	if _, err := exec.LookPath("scontrol"); err != nil {
		return nil, false
	}
	return func(ctx context.Context, words []string) ([]byte, error) {
		at, err := exec.LookPath(words[0])
		if err != nil {
			return nil, &snapshot.CommandError{Command: strings.Join(words, " "), Err: errors.New("there is no such command")}
		}
		const inC = "LC_ALL=C"
		return snapshot.Run(ctx, at, words, append(os.Environ(), inC, "SLURM_TIME_FORMAT=standard"), limit)
	}, true
}

// Dump is what a site has printed.
type Dump struct {
	Name    string
	Taken   time.Time
	Remarks []diag.Remark
	names   []string
	files   map[string][]byte
}

func (d *Dump) add(name string, text []byte) {
	d.names = append(d.names, name)
	d.files[name] = text
}

// Ask asks a live site, one command after the other. What a command that fails has printed is left
// out, and the failure is among the remarks, as is output of another kind; it is an error if the
// configuration or all lists of jobs cannot be had.
func Ask(ctx context.Context, run Runner, now func() time.Time) (*Dump, error) {
	return ask(ctx, run, now, commands)
}

func ask(ctx context.Context, run Runner, now func() time.Time, commands []command) (*Dump, error) {
	d := &Dump{Name: "the Slurm site of this host", Taken: now(), files: map[string][]byte{}}
	var log strings.Builder
	fmt.Fprintf(&log, "# begin %s\n", d.Taken.UTC().Format(time.RFC3339))
	failed := map[string]error{}
	for _, c := range commands {
		begin := now()
		text, err := run(ctx, c.words)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		said := "rc=0"
		if err != nil {
			said, failed[c.name], text = fmt.Sprintf("failed: %v", err), err, nil
			d.Remarks = append(d.Remarks, diag.Damagef("%v", err))
		} else if len(bytes.TrimSpace(text)) > 0 && kindOf(string(text)) == unknown && !slices.Contains(unread, c.name) {
			d.Remarks = append(d.Remarks, diag.Damagef("%s printed what it does not print of a Slurm site: it is kept, and nothing is read from it", strings.Join(c.words, " ")))
		}
		const seconds = "%.2f %.2f %s %s: %s\n"
		fmt.Fprintf(&log, seconds, float64(begin.UnixMilli())/1e3, float64(now().UnixMilli())/1e3, said, c.name, strings.Join(c.words, " "))
		if len(text) > 0 {
			d.add(c.name, text)
		}
	}
	for _, name := range []string{"config.txt", "jobs.txt"} {
		err := failed[name]
		if hasQueue := name == "jobs.txt" && d.files["squeue.txt"] != nil; err != nil && !hasQueue { // which says most of the same
			return nil, err
		}
	}
	d.add(commandsName, []byte(log.String()))
	return d, nil
}

// OpenDump returns what a folder or an archive of a site holds.
func OpenDump(name string) (*Dump, error) {
	o, err := OpenOrigin(name)
	if err != nil {
		return nil, err
	}
	return newDump(name, o.folder, o.Remarks), nil
}

func newDump(name string, f *folder, remarks []diag.Remark) *Dump {
	d := &Dump{Name: name, Remarks: remarks, files: map[string][]byte{}}
	for _, p := range f.parts {
		d.add(strings.TrimSuffix(path.Base(p.Member), ".gz"), []byte(p.text))
	}
	s := &Site{}
	if d.Taken = s.taken(f); d.Taken.IsZero() {
		d.Taken = time.Now()
	}
	return d
}

// folder returns the files that are told to be something of a site.
func (d *Dump) folder() *folder {
	f := &folder{name: "."}
	for _, name := range d.names {
		text := string(d.files[name])
		if k := kindOf(text); k != unknown {
			f.parts = append(f.parts, part{file.Source{Name: d.Name + ": " + name, Member: name}, k, text})
			f.size += len(text)
		}
	}
	return f
}

// Site returns the site that has printed this.
func (d *Dump) Site() (*Site, error) { return read(d.Name, d.folder(), d.Remarks) }

// Write writes the files as an archive or, where the name does not end as an archive's, as a new
// folder: whole, or not at all.
func (d *Dump) Write(name string) error {
	return snapshot.WriteFiles(name, d.Taken, func(f func(string, []byte) error) error {
		for _, name := range d.names {
			if err := f(name, d.files[name]); err != nil {
				return err
			}
		}
		return nil
	})
}
