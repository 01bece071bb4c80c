package lab

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"fairshare/cmd/internal/change"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
)

// Taken is what can be taken away from a state.
type Taken struct {
	Name string // of a file
	Type string // its media type
	Text []byte
}

// Take returns what is asked for of a state: "qmgr", the command that sets the formula
// and the other changes that qmgr can make; "diff", the changed resource_group; "test", a
// file of expectations that holds the order; "page", the change as a page. Its errors are
// *RequestError or about the state.
func (l *Lab) Take(s State, what string) (*Taken, error) {
	switch what {
	case "qmgr":
		return &Taken{"commands.sh", "text/plain; charset=utf-8", []byte(l.commands(s))}, nil
	case "diff":
		text, err := l.diff(s)
		return &Taken{"resource_group.diff", "text/plain; charset=utf-8", text}, err
	case "test":
		text, err := l.test(s)
		return &Taken{"formula.test", "text/plain; charset=utf-8", []byte(text)}, err
	case "page":
		t, err := l.order(s)
		if err != nil {
			return nil, err
		}
		t.mutex.Lock()
		defer t.mutex.Unlock()
		text, err := page.Render(change.Between(l.inForce, t.order).Page(l.inForce, t.order, l.From))
		return &Taken{"change.html", "text/html; charset=utf-8", text}, err
	}
	return nil, &RequestError{"there is no " + what + " to take away"}
}

// commands returns what makes a state true on a site, and what has to be done by hand.
func (l *Lab) commands(s State) string {
	var b strings.Builder
	if s.Formula != l.Site.Sched.Formula && s.Formula != "" {
		fmt.Fprintf(&b, "qmgr -c %s\n", report.Quote(fmt.Sprintf("set server job_sort_formula = \"%s\"", s.Formula)))
	} else if s.Formula == "" && l.Site.Sched.Formula != "" {
		fmt.Fprintln(&b, "qmgr -c 'unset server job_sort_formula'")
	}
	for _, setting := range s.Settings {
		name, value, _ := strings.Cut(setting, "=")
		switch queue, isQueue := strings.CutPrefix(name, "queue."); {
		case isQueue && strings.HasSuffix(queue, ".priority"):
			fmt.Fprintf(&b, "qmgr -c %s\n", report.Quote("set queue "+strings.TrimSuffix(queue, ".priority")+" Priority = "+value))
		case isQueue:
			queue, attribute, _ := strings.Cut(queue, ".")
			fmt.Fprintf(&b, "qmgr -c %s\n", report.Quote("set queue "+queue+" "+attribute+" = "+value))
		case strings.HasPrefix(name, "sched."):
			fmt.Fprintf(&b, "# sched_config: %s: %s ALL\n", strings.TrimPrefix(name, "sched."), value)
		case strings.HasSuffix(name, ".usage"):
			fmt.Fprintf(&b, "pbsfs -s %s %s\n", report.Quote(strings.TrimSuffix(name, ".usage")), value)
		case strings.HasSuffix(name, ".shares"):
			fmt.Fprintf(&b, "# resource_group: %s (see the diff)\n", setting)
		}
	}
	if b.Len() == 0 {
		return "# nothing is changed\n"
	}
	return b.String()
}

// diff returns the changes of resource_group as a unified diff. Lines, blanks and comments
// stay as they are but for the shares.
func (l *Lab) diff(s State) ([]byte, error) {
	if l.ResourceGroup == "" {
		return nil, &RequestError{"there is no resource_group to change"}
	}
	shares := map[string]string{}
	var added []string
	for _, setting := range s.Settings {
		name, value, _ := strings.Cut(setting, "=")
		if entity, ok := strings.CutSuffix(name, ".shares"); ok {
			shares[entity] = value
			added = append(added, entity)
		}
	}
	var b strings.Builder
	found := map[string]bool{}
	for line := range strings.Lines(l.ResourceGroup) {
		fields := strings.Fields(line)
		value, isChanged := "", false
		if len(fields) >= 4 && !strings.HasPrefix(fields[0], "#") {
			value, isChanged = shares[fields[0]]
		}
		if isChanged {
			line = withFourth(line, value)
			found[fields[0]] = true
		}
		b.WriteString(line)
	}
	for _, entity := range added {
		if !found[entity] {
			fmt.Fprintf(&b, "# %s has %s shares, and no line: give it a cresgroup of its own\n", entity, shares[entity])
		}
	}
	return diff.Diff("a/resource_group", []byte(l.ResourceGroup), "b/resource_group", []byte(b.String())), nil
}

// withFourth returns a line with another fourth field.
func withFourth(line, value string) string {
	at := 0
	for range 3 {
		at += len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
		at += strings.IndexAny(line[at:], " \t\r\n")
	}
	at += len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
	end := at + strings.IndexAny(line[at:]+"\n", " \t\r\n")
	return line[:at] + value + line[end:]
}

// test returns a file of expectations that holds the order of the first jobs.
func (l *Lab) test(s State) (string, error) {
	t, err := l.order(s)
	if err != nil {
		return "", err
	}
	const most = 20 // jobs
	var b strings.Builder
	b.WriteString("# the order that was seen in formula lab\n# run it beside the files that these lines name\n")
	if s.Formula != "" {
		fmt.Fprintf(&b, "formula %s\n", strings.Join(strings.Fields(s.Formula), " "))
	}
	b.WriteString("# sched-priv DIR, queues FILE, jobs FILE: as the site has them")
	for _, setting := range s.Settings {
		fmt.Fprintf(&b, "\n# with %s", setting)
	}
	b.WriteString("\n")
	t.mutex.Lock()
	defer t.mutex.Unlock()
	// Jobs that tie are ordered by the list alone, which is no expectation.
	var ids []string
	for i, row := range t.order.Rows {
		if len(ids) == most {
			break
		}
		if i > 0 {
			before := int(t.order.Rows[i-1])
			if t.order.Value(before) == t.order.Value(int(row)) {
				continue
			}
		}
		ids = append(ids, l.List.Job(int(row)).ID)
	}
	if len(ids) > 1 {
		fmt.Fprintf(&b, "order %s\n", strings.Join(ids, " "))
	}
	for _, id := range ids[:min(len(ids), 3)] {
		row, err := l.List.Find(id)
		if err == nil && t.order.Values != nil {
			fmt.Fprintf(&b, "value %s of %s\n", t.order.Values.Result(row).Log(), id)
		}
	}
	return b.String(), nil
}
