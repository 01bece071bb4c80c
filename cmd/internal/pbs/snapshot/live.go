package snapshot

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"fairshare/cmd/internal/command"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
)

// Question is what is asked of a complex.
type Question struct {
	Server  string        // another server than the host's own, "" for that
	Timeout time.Duration // of each command
	Parts   []Part
}

// What cannot be had.
var (
	ErrNoPBS       = errors.New("PBS's commands are not on this host")
	errOtherServer = errors.New("it is on the server's own host")
)

// Ask runs PBS's commands side by side and returns what they print as a snapshot,
// with remarks on those that failed. The error is ErrNoPBS where there are none,
// or a *command.Error where the job list is asked for and cannot be had.
func Ask(ctx context.Context, o Question) (*Snapshot, error) {
	conf, _ := pbs.ReadConf() // what is missing in it may not be needed
	a := &asker{Question: o, exec: conf["PBS_EXEC"], files: map[string][]byte{}}
	if a.find("qstat") == "" {
		return nil, ErrNoPBS
	}
	var wg sync.WaitGroup
	var jobs error
	for _, part := range o.Parts {
		if part == Jobs {
			wg.Go(func() { jobs = a.jobs(ctx) })
			continue
		}
		for _, m := range Members {
			if m.Part == part && m.Command != nil {
				wg.Go(func() { a.keep(m.Path, a.run(ctx, m.Command)) })
			}
		}
	}
	wg.Wait()
	if jobs != nil {
		return nil, jobs
	}
	if slices.Contains(o.Parts, SchedPriv) {
		if err := a.readPriv(); err != nil {
			a.remark(privRemark(err))
		}
	}
	return New("PBS server "+cmp.Or(o.Server, conf["PBS_SERVER"], "of this host"), a.files, time.Now(), a.remarks), nil
}

// asker gathers what the commands print.
type asker struct {
	Question
	exec string // PBS_EXEC, "" if it is not known

	mu      sync.Mutex
	files   map[string][]byte
	remarks []diag.Remark
}

func (a *asker) remark(r diag.Remark) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remarks = append(a.remarks, r)
}

// find returns the path of a command of PBS's, "" if there is none: in PBS_EXEC, or in
// PATH where that is not known.
func (a *asker) find(name string) string {
	if a.exec != "" { // nothing else of the name that may stand in PATH
		path := filepath.Join(a.exec, "bin", name)
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return ""
		}
		return path
	}
	return command.Place(name)
}

// Here returns where PBS's qstat is on this host, "" where it is not there.
func Here() string {
	conf, _ := pbs.ReadConf() // without it, qstat may still stand in PATH
	a := asker{exec: conf["PBS_EXEC"]}
	return a.find("qstat")
}

// output is what a command printed, and its error.
type output struct {
	text []byte
	err  error
}

// run runs a command within the time limit. What it printed comes with an error.
func (a *asker) run(ctx context.Context, line []string) output {
	words := strings.Join(line, " ")
	path := a.find(line[0])
	if path == "" {
		return output{err: &command.Error{Command: words, Err: errors.New("there is no such command")}}
	}
	env := os.Environ()
	if a.Server != "" {
		env = append(env, "PBS_SERVER="+a.Server, "PBS_DEFAULT="+a.Server)
	}
	text, err := command.Run(ctx, path, line, env, a.Timeout)
	return output{text, err}
}

// keep keeps what a command printed as a member of the layout.
func (a *asker) keep(path string, out output) {
	switch {
	case out.err != nil && path == reservationsPath: // which many sites have none of
		a.remark(diag.Warningf("%v", out.err))
	case out.err != nil:
		a.remark(diag.Damagef("%v", out.err))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(out.text) > 0 {
		a.files[path] = out.text
	}
}

// jobs asks for the list of jobs, as text where PBS is too old for JSON.
func (a *asker) jobs(ctx context.Context) error {
	var failed error
	for _, m := range Members {
		if m.Part != Jobs || m.Command == nil {
			continue
		}
		out := a.run(ctx, m.Command)
		if out.err == nil {
			out.text = append(out.text, '\n') // so that no job at all is a list, too
			a.keep(m.Path, out)
			return nil
		}
		failed = out.err
		var late *command.TimeoutError
		if errors.As(failed, &late) {
			break // and would be again
		}
	}
	return failed
}

// privRemark says why the scheduler's directory could not be read. That only root may is as
// it is on most sites, and no damage.
func privRemark(err error) diag.Remark {
	if errors.Is(err, fs.ErrPermission) {
		return diag.Warningf("%s may be read by root only (sudo formula collect site.tgz writes a site that anybody may ask): %v", pbs.PrivName, err)
	}
	return diag.Damagef("%s cannot be read: %v", pbs.PrivName, err)
}

// readPriv reads the scheduler's directory: all of it or nothing, since a tree
// without its usage is a wrong one.
func (a *asker) readPriv() error {
	if a.Server != "" {
		return errOtherServer
	}
	dir, err := pbs.FindSchedPriv("")
	if err != nil {
		return err
	}
	const most = min(4<<30, math.MaxInt)
	files := map[string][]byte{}
	for _, name := range pbs.PrivFiles {
		text, err := file.DirAt(dir).Read(name, most)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		files[path.Join(pbs.PrivName, name)] = []byte(text)
	}
	maps.Copy(a.files, files)
	return nil
}
