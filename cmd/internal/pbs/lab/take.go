package lab

import (
	"fmt"
	"math"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/compare"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Take returns what is asked for of a state: "qmgr", the command that sets the formula
// and the other changes that qmgr can make; "diff", the changed resource_group; "test", a
// file of expectations that holds the order; "page", the change as a page. Its errors are
// *diag.RequestError or about the state.
func (l *Lab) Take(s lab.State, what string) (*lab.Download, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	site, err := l.Site.With(s.Settings)
	if err != nil { // else nonsense would be handed out
		return nil, err
	}
	v := order.Check(s.Formula, l.symbols, l.around)
	isPrintable := v.Message == "" && !strings.ContainsAny(s.Formula, "\"\n\r")
	if what == "qmgr" && s.Formula != "" && !isPrintable {
		return nil, diag.Requestf("qmgr would not take this formula: %s", v.Message)
	}
	s.Settings = nil // as they were understood
	for _, c := range site.Changes {
		s.Settings = append(s.Settings, c.Name+"="+c.Value)
	}
	switch what {
	case "qmgr":
		return lab.TextDownload("commands.sh", l.commands(s, site.Changes)), nil
	case "diff":
		text, err := l.diff(site.Changes)
		return lab.TextDownload("resource_group.diff", string(text)), err
	case "test":
		text, err := l.test(s)
		return lab.TextDownload("formula.test", text), err
	case "page":
		t, err := l.order(s)
		if err != nil {
			return nil, err
		}
		t.mutex.Lock()
		defer t.mutex.Unlock()
		text, err := page.Render(compare.Page(compare.Between(l.inForce, t.order), l.inForce, t.order, l.From))
		return lab.PageDownload("change.html", text), err
	}
	return nil, diag.Requestf("there is no %s to take away", what)
}

// commands returns what makes a state true on a site, and what has to be done by hand.
func (l *Lab) commands(s lab.State, changes []pbs.Change) string {
	var b strings.Builder
	if s.Formula != l.Site.Sched.Formula && s.Formula != "" {
		fmt.Fprintln(&b, pbs.CommandToSet(s.Formula))
	} else if s.Formula == "" && l.Site.Sched.Formula != "" {
		fmt.Fprintln(&b, "qmgr -c 'unset server job_sort_formula'")
	}
	qmgr := func(format string, args ...any) {
		fmt.Fprintf(&b, "qmgr -c %s\n", report.Quote(fmt.Sprintf(format, args...)))
	}
	for _, c := range changes {
		name, value := c.Name, c.Value
		of, attribute, _ := strings.Cut(name, ".")
		switch {
		case c.Entity != "" && c.Entity != fstree.UnknownName && strings.HasSuffix(name, ".usage"):
			fmt.Fprintf(&b, "pbsfs -s %s %s\n", report.Quote(c.Entity), report.Quote(value))
		case of == "queue":
			queue, what, _ := strings.Cut(attribute, ".")
			if what == "priority" {
				what = "Priority"
			}
			if value == "" {
				qmgr("unset queue %s %s", queue, what)
			} else {
				qmgr("set queue %s %s = %s", queue, what, value)
			}
		case value == "" && (of == "server" || of == "sched"):
			qmgr("unset %s %s", of, attribute)
		case of == "server", of == "sched" && pbs.IsAttribute(attribute):
			qmgr("set %s %s = %s", of, attribute, value)
		case of == "sched":
			if pbs.HasPeriod(attribute) {
				value += " ALL"
			}
			fmt.Fprintf(&b, "# sched_config: %s: %s\n", attribute, value)
		case name == fstree.UnknownName+".shares":
			fmt.Fprintf(&b, "# sched_config: unknown_shares: %s\n", value)
		default:
			fmt.Fprintf(&b, "# resource_group: %s=%s (see the diff)\n", name, value)
		}
	}
	if b.Len() == 0 {
		return "# nothing is changed\n"
	}
	return b.String()
}

// diff returns the changes of resource_group as a unified diff. Lines, blanks and comments
// stay as they are but for the shares.
func (l *Lab) diff(changes []pbs.Change) ([]byte, error) {
	if l.ResourceGroup == "" {
		return nil, diag.Requestf("there is no resource_group to change")
	}
	shares := map[string]string{}
	var added []string
	for _, c := range changes {
		if strings.HasSuffix(c.Name, ".shares") && c.Entity != "" && c.Entity != fstree.UnknownName {
			shares[c.Entity] = c.Value
			added = append(added, c.Entity)
		}
	}
	var b strings.Builder
	found := map[string]bool{}
	for line := range strings.Lines(l.ResourceGroup) {
		if m := groupLine().FindStringSubmatchIndex(line); m != nil {
			name := line[m[2]:m[3]]
			if value, isChanged := shares[name]; isChanged {
				line = line[:m[4]] + value + line[m[5]:]
				found[name] = true
			}
		}
		b.WriteString(line)
	}
	newline := "" // that the last line lacks
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		newline = "\n"
	}
	for _, entity := range added {
		if !found[entity] {
			fmt.Fprintf(&b, "%s# %s has %s shares, and no line: give it a cresgroup of its own\n", newline, entity, shares[entity])
			newline = ""
		}
	}
	return diff.Diff("a/resource_group", []byte(l.ResourceGroup), "b/resource_group", []byte(b.String())), nil
}

// groupLine is a line of resource_group: an entity, two more words, and its shares.
var groupLine = pattern.Of(`^[ \t]*([^# \t\r\n][^ \t\r\n]*)[ \t]+[^ \t\r\n]+[ \t]+[^ \t\r\n]+[ \t]+([^ \t\r\n]+)`)

// test returns a file of expectations that holds the order of the first jobs.
func (l *Lab) test(s lab.State) (string, error) {
	t, err := l.order(s)
	if err != nil {
		return "", err
	}
	if t.order.Values == nil {
		return "", diag.Requestf("a test is of a formula, and there is none")
	}
	const most = 20 // jobs
	var b strings.Builder
	b.WriteString("# the order that was seen in formula lab: formula test FILE --snapshot SITE\n")
	fmt.Fprintf(&b, "formula %s\n", strings.Join(strings.Fields(s.Formula), " "))
	for _, setting := range s.Settings {
		if x, ok := strings.CutPrefix(setting, "sched.job_sort_formula_threshold="); ok {
			fmt.Fprintf(&b, "threshold %s\n", x)
			continue
		}
		fmt.Fprintf(&b, "# it holds with %s, which the site has to have first\n", setting)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	// Jobs that tie are ordered by the list alone, which is no expectation, and those
	// without a number by nothing.
	var ids []string
	var rows []int
	for _, row := range t.order.Rows {
		result := t.order.Values.Result(int(row))
		isNumber := !math.IsNaN(result.Value) && !math.IsInf(result.Value, 0) && result.Err == nil
		isTied := len(rows) > 0 && t.order.Value(rows[len(rows)-1]) == t.order.Value(int(row))
		if isNumber && !isTied && len(ids) < most {
			ids, rows = append(ids, l.List.Job(int(row)).ID), append(rows, int(row))
		}
	}
	if len(ids) > 1 {
		fmt.Fprintf(&b, "order %s\n", strings.Join(ids, " "))
	}
	for i, row := range rows[:min(len(rows), 3)] {
		fmt.Fprintf(&b, "value %s of %s\n", report.Shortest(t.order.Values.Result(row).Value), ids[i])
	}
	if len(ids) == 0 {
		return "", diag.Requestf("no job has a value that a test could hold")
	}
	return b.String(), nil
}
