package cli

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pkg/browser"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/joblist"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/study"
)

type labCmd struct {
	Site      string `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, or a job list, - for standard input; else the PBS complex of this host."`
	HTTP      string `name:"http" default:"localhost:0" placeholder:"ADDR" help:"Where to serve the page (${default}); another address than this machine's own lets others in who have the page's address."`
	NoBrowser bool   `help:"Open no browser."`
	queueFlags
	Logs  []string `sep:"none" placeholder:"LOGS" help:"Accounting logs to replay, as formula replay takes them; else the snapshot's."`
	Usage string   `placeholder:"FILE" help:"The usage database at the begin of the logs."`
	TZ    string   `name:"tz" placeholder:"ZONE" help:"The time zone of the logs, such as Europe/Berlin; else this machine's."`
}

func (c *labCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Set) > 0 {
		return fail(exitUsage, "settings are tried in the page, not with --set")
	}
	listeners, err := listen(c.HTTP)
	if err != nil {
		return fail(exitUsage, "--http %w", err)
	}
	for _, listener := range listeners {
		defer listener.Close()
	}
	l, err := c.load(s)
	if err != nil {
		return err
	}
	return c.serve(s, l, listeners)
}

// listen listens at an address: for localhost at 127.0.0.1 and at ::1, where this machine
// has it, since somebody else could hold the other one and be asked in our place. At an
// address of IPv4 it does not listen on IPv6, which "tcp" would for 0.0.0.0.
func listen(address string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no address to serve at: write HOST:PORT, such as localhost:8080, with port 0 for any that is free", address)
	}
	if host != "localhost" {
		network := "tcp"
		if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
			network = "tcp4"
		}
		listener, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		return []net.Listener{listener}, nil
	}
	const tries = 10 // of ports that are free at one of them alone
	for try := 1; ; try++ {
		first, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
		if err != nil {
			return nil, err
		}
		second, err := net.Listen("tcp6", net.JoinHostPort("::1", fmt.Sprint(first.Addr().(*net.TCPAddr).Port)))
		switch {
		case err == nil:
			return []net.Listener{first, second}, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return []net.Listener{first}, nil // there is no ::1
		}
		first.Close()
		if port != "0" || try == tries {
			return nil, err
		}
	}
}

// load reads the site and its jobs, with all that a formula can name.
func (c *labCmd) load(s *session) (*lab.Lab, error) {
	p, err := c.find(s, c.Site, orderParts(c.SchedPriv)...)
	if err != nil {
		return nil, err
	}
	site, err := c.siteOf(s, p)
	if errors.Is(err, errUnknownFormula) {
		site, err = c.siteWithout(s, p)
	}
	if err != nil {
		return nil, err
	}
	plan, err := c.plan(s, site)
	if err != nil {
		return nil, err
	}
	for i, from := range p.jobs { // a list is read twice, and may be a stream
		const most = 4 << 30
		text, err := from.Text(most)
		if err != nil {
			return nil, s.failed(err)
		}
		p.jobs[i].Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	options := order.ListOptions(plan)
	options.Groups = true
	first, err := readRequested(p, options)
	if err != nil {
		return nil, s.failed(err)
	}
	options.Columns = lab.Columns(site, first)
	list, err := c.readListWith(s, p, options)
	if err != nil {
		return nil, err
	}
	o := lab.Options{Options: order.Options{Static: c.Static, Workers: c.Workers}, From: p.describe()}
	for _, n := range namesOf(site) {
		if n.Usable {
			o.Names = append(o.Names, lab.Name{Name: n.Name, Kind: n.Kind, Unit: n.Unit, Meaning: n.Meaning})
		}
	}
	if priv := site.SchedPriv; priv != nil {
		const most = 1 << 30
		o.ResourceGroup, _ = priv.Dir.Read("resource_group", most)
	}
	if o.Replay, err = c.replayer(s, site, p); err != nil {
		return nil, err
	}
	return lab.New(site, list, o)
}

// siteWithout returns a site of which nothing says which formula is in force: none is.
func (c *labCmd) siteWithout(s *session, p *place) (*pbs.Site, error) {
	s.diag.Note("which formula is in force is not known: none is taken to be")
	without := c.queueFlags
	without.NoFormula = true
	return without.siteOf(s, p)
}

// readRequested returns the resources that the jobs of a place request.
func readRequested(p *place, o joblist.Options) (map[string]bool, error) {
	requested := map[string]bool{}
	for _, from := range p.jobs {
		in, err := from.Open()
		if err != nil {
			return nil, err
		}
		list, _ := joblist.Read(in, o) // what is wrong with it is told when it is read again
		in.Close()
		if list != nil {
			for name := range list.Requested {
				requested[name] = true
			}
		}
	}
	return requested, nil
}

// replayer returns what replays the logs, nil where there are none.
func (c *labCmd) replayer(s *session, site *pbs.Site, p *place) (lab.Replayer, error) {
	cmd := &replayCmd{Usage: c.Usage, Runs: 1}
	cmd.TZ, cmd.Logs = c.TZ, c.Logs
	if len(cmd.Logs) == 0 {
		for _, name := range []string{c.Site, c.Snapshot} {
			if name != "" && name != "-" && snapshot.HasLogs(name) {
				cmd.Logs = []string{name}
			}
		}
	}
	zone, err := cmd.zone()
	if err != nil || len(cmd.Logs) == 0 {
		return nil, err
	}
	if _, err := cmd.sources(s); err != nil {
		return nil, err
	}
	// Logs are read when they are needed, once. What there is to say of them has no
	// terminal to be said on any more.
	quiet := &session{in: strings.NewReader(""), diag: s.diag}
	quiet.diag.W = io.Discard
	load := func(sites []*pbs.Site) (*study.Study, error) {
		var err error
		in := &study.Inputs{Site: site, IsKnown: true, Taken: p.taken, Nodes: p.nodes, Lists: p.jobs}
		for _, snap := range cmd.snapshots() {
			if snap.Nodes().IsGiven() {
				in.Nodes = snap.Nodes()
			}
			in.Lists = append(in.Lists, snap.Jobs()...)
		}
		if cmd.Usage != "" {
			if in.Usage, err = quiet.readUsage(cmd.Usage); err != nil {
				return nil, err
			}
		}
		return cmd.study(quiet, in, zone, sites)
	}
	var mutex sync.Mutex
	known := map[string]*study.Study{} // by what was kept of the logs
	prepare := func(state lab.State) (*study.Study, []diag.Remark, error) {
		mutex.Lock()
		defer mutex.Unlock()
		base, remarks, err := study.InForce(site, true)
		if err != nil {
			return nil, nil, err
		}
		changed, more, err := study.Changes{Formula: state.Formula, Settings: state.Settings}.New(site)
		if err != nil {
			return nil, nil, err
		}
		key := ""
		if changed.Site.SchedPriv != nil {
			key = changed.Site.SchedPriv.Config.UsageRes
		}
		on := known[key]
		if on == nil {
			if on, err = load([]*pbs.Site{changed.Site}); err != nil {
				return nil, nil, err
			}
			known[key] = on
		}
		own := *on
		used, err := own.Use([]*study.Policy{base, changed})
		return &own, slices.Concat(quiet.diag.Said(), remarks, more, used), err
	}
	return func(ctx context.Context, state lab.State, progress func(float64)) ([]byte, error) {
		on, said, err := prepare(state)
		if err != nil {
			return nil, err
		}
		on.Progress = func(part, all float64) { progress(part / all) }
		all, err := on.Run(ctx)
		if err != nil {
			return nil, err
		}
		return page.Render(on.Page(all, on.Compare(all), nil, zone, append(said, on.Caveats(all)...), withRange, withNoise))
	}, nil
}

// serve serves a lab until it is interrupted.
func (c *labCmd) serve(s *session, l *lab.Lab, listeners []net.Listener) error {
	host, _, _ := net.SplitHostPort(c.HTTP)
	own, _ := os.Hostname()
	handler := lab.NewServer(l, host, own)
	at := listeners[0].Addr().(*net.TCPAddr)
	name := at.String() // the address and no name, which could mean another one
	if !at.IP.IsLoopback() {
		s.diag.Warning("whoever can reach %s and has the address of the page can see the jobs", name)
		if at.IP.IsUnspecified() && own != "" {
			name = net.JoinHostPort(own, fmt.Sprint(at.Port))
		}
	}
	address := "http://" + name + handler.Path()
	fmt.Fprintln(s.out, address)
	if err := s.out.Flush(); err != nil {
		return err
	}
	const header, idle, write = 10 * time.Second, 2 * time.Minute, time.Minute
	said := &sharedLog{w: s.diag.W}
	l.Fault = func(what any, stack []byte) {
		fmt.Fprintf(said, "formula: error: this is a fault of the program: %v\n%s", what, stack)
	}
	server := &http.Server{
		ErrorLog: log.New(said, "formula: note: ", 0),
		Handler:  handler, ReadHeaderTimeout: header, ReadTimeout: write, WriteTimeout: write, IdleTimeout: idle, MaxHeaderBytes: 16 << 10,
	}
	failed := make(chan error, len(listeners))
	for _, listener := range listeners {
		go func() { failed <- server.Serve(listener) }()
	}
	if !c.NoBrowser && hasDesktop() {
		dir, err := os.MkdirTemp("", "formula-lab") // with mode 0700
		if err == nil {
			defer os.RemoveAll(dir)
			err = openBrowser(dir, address)
		}
		if err != nil {
			s.diag.Note("no browser could be opened: %v", err)
		}
	}
	select {
	case err := <-failed:
		return fail(exitUnreadable, "the page cannot be served: %w", err)
	case <-s.ctx.Done():
	}
	l.End()
	const patience = 500 * time.Millisecond
	ending, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return server.Close()
	}
	return nil
}

// sharedLog is where several goroutines write lines, as a terminal may see them.
type sharedLog struct {
	mutex sync.Mutex
	w     io.Writer
}

func (l *sharedLog) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	guard := report.Guard{W: l.w}
	n, err := guard.Write(text)
	return n, errors.Join(err, guard.Close())
}

// openBrowser opens a browser on an address. It is given a page in a folder that leads
// there, since everybody on this machine can see the arguments of a command.
func openBrowser(dir, address string) error {
	page, err := leadTo(dir, address)
	if err != nil {
		return err
	}
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	go browser.OpenFile(page) // which may take as long as the browser is open
	return nil
}

// leadTo writes a page into a folder that leads to an address.
func leadTo(dir, address string) (page string, err error) {
	page = filepath.Join(dir, "lab.html")
	text := fmt.Sprintf("<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; url=%s\"><title>formula lab</title>", html.EscapeString(address))
	return page, os.WriteFile(page, []byte(text), 0o600)
}

// hasDesktop reports whether there is a screen to open a browser on.
func hasDesktop() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
