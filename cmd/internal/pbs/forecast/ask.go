package forecast

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Ask is what a job asks for that is not there yet, or that is to be changed.
type Ask struct {
	User, Queue string
	Resources   []Resource // of -l, walltime, select and place among them

	is *trace.ListedJob // the job that is changed, nil for a new one

	isOfDefault bool // whether it names no queue, and goes to default_queue

	project    string   // "" where it names none
	account    string   // likewise
	priority   int32    // as qsub -p and qalter -p give it
	script     string   // from which some of it comes, "" for none
	directives []string // of that script
	always     string   // default_qsub_arguments, from which some of it may come
	unread     []string // of these: what is not read
}

// Resource is an amount of a resource that is asked for.
type Resource struct{ Name, Value string }

var (
	resourceName  = pattern.Of(`^[A-Za-z][A-Za-z0-9_]*$`)
	resourceValue = pattern.Of(`^[!-~]+$`)
)

// parseResources reads resources as qsub -l has them, such as select=4:ncpus=16,walltime=8:00:00.
func parseResources(text string) ([]Resource, error) {
	var list []Resource
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if of, _, isOf := strings.Cut(name, "."); isOf && ok && slices.Contains([]string{"server", "sched", "queue", "node", "nodes", "reservation"}, of) {
			return nil, wrong("%s is a setting of the site and nothing that a job asks for: --set %s tries it", name, strings.TrimSpace(part))
		}
		if !ok || !resourceName().MatchString(name) || len(value) > 1000 || !resourceValue().MatchString(value) {
			return nil, fmt.Errorf("%w: %q is no NAME=VALUE", forecast.ErrAsk, part)
		}
		list = append(list, Resource{name, value})
	}
	return list, checkOnce(list)
}

// parseAsked reads resources as parseResources does, with a job's priority among them by its own name or by that of the formula.
func parseAsked(text string) ([]Resource, error) {
	list, err := parseResources(text)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == "job_priority" {
			list[i].Name = "priority"
		}
	}
	return list, checkOnce(list)
}

// checkOnce returns an error if a resource is asked for twice, or beside a select whose chunks ask for
// it, as qsub does.
func checkOnce(list []Resource) error {
	seen, hasSelect := map[string]bool{}, slices.ContainsFunc(list, func(r Resource) bool { return r.Name == "select" })
	for _, r := range list {
		if seen[r.Name] {
			return askError{fmt.Errorf("%s is asked for twice", r.Name)}
		}
		seen[r.Name] = true
		if hasSelect && (r.Name == "ncpus" || r.Name == "mem" || r.Name == "nodes") {
			return askError{fmt.Errorf("%s cannot be asked for beside a select: its chunks say how much", r.Name)}
		}
	}
	return nil
}

// parseChanges reads what is changed of a job: resources as qsub -l has them, with queue=NAME, project=NAME and priority=N among them, or
// options of qalter and qmove, such as "-l walltime=1:00:00 -P astro".
func parseChanges(text string) ([]Resource, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "-") {
		return parseAsked(text)
	}
	words, err := report.ShellWords(text)
	if err != nil {
		return nil, wrong("%v", err)
	}
	line, err := readOptions(words, false)
	switch {
	case err != nil:
		return nil, err
	case line.refused != nil:
		return nil, notRead(strings.Join(line.refused, ", "))
	case line.script != "" || line.account != "":
		return nil, notRead(report.Printable(text))
	}
	list := line.resources
	for _, of := range []Resource{{"queue", line.queue}, {"project", line.project}, {"priority", line.priority}} {
		if of.Value != "" {
			list = append(list, of)
		}
	}
	if list == nil {
		return nil, wrong("%s changes nothing on which a start depends", report.Printable(text))
	}
	return list, nil
}

// With returns what is asked for with some of it changed: NAME=VALUE, queue=NAME, project=NAME or priority=N. With ncpus
// the chunks of a select keep their size where that divides.
func (a Ask) With(change string) (Ask, error) {
	changes, err := parseChanges(change)
	if err != nil {
		return a, err
	}
	a.Resources = slices.Clone(a.Resources)
	for _, c := range changes {
		switch {
		case c.Name == "queue":
			a.Queue, a.isOfDefault = c.Value, false
		case c.Name == "project":
			a.project = c.Value
		case c.Name == "priority":
			if a.priority, err = parsePriority(c.Value); err != nil {
				return a, err
			}
		case c.Name == "ncpus" && a.of("select") != "":
			n, err := strconv.Atoi(c.Value)
			if err != nil || n < 1 {
				return a, wrong("ncpus: %q is no whole number", c.Value)
			}
			a.set("select", resized(a.of("select"), n))
		default:
			a.set(c.Name, c.Value)
		}
	}
	return a, nil
}

func (a *Ask) of(name string) string {
	for _, r := range a.Resources {
		if r.Name == name {
			return r.Value
		}
	}
	return ""
}

// names returns the resources that are asked for, by a job as a whole and by its chunks.
func (a *Ask) names() (names []string) {
	for _, r := range a.Resources {
		if names = append(names, r.Name); r.Name == "select" {
			names = slices.AppendSeq(names, ofChunks(r.Value))
		}
	}
	return names
}

// ofChunks yields the resources that the chunks of a select ask for.
func ofChunks(selected string) iter.Seq[string] {
	return func(yield func(name string) bool) {
		for part := range strings.FieldsFuncSeq(selected, func(c rune) bool { return c == ':' || c == '+' }) {
			if name, _, ok := strings.Cut(part, "="); ok && !yield(name) {
				return
			}
		}
	}
}

func (a *Ask) set(name, value string) {
	for i := range a.Resources {
		if a.Resources[i].Name == name {
			a.Resources[i].Value = value
			return
		}
	}
	a.Resources = append(a.Resources, Resource{name, value})
}

var askedCPUs = pattern.Of(`\bncpus=(\d+)`)

// resized returns a select of another number of cpus: in chunks that are as large as they were where
// that divides, else in as many as there were.
func resized(text string, n int) string {
	count, chunk := cutCount(text)
	if found := askedCPUs().FindStringSubmatch(chunk); found != nil && !strings.Contains(text, "+") {
		each, err := strconv.Atoi(found[1])
		switch {
		case err == nil && each > 0 && count > 1 && n%each == 0:
			return fmt.Sprintf("%d:%s", n/each, chunk)
		case n%count == 0:
			return fmt.Sprintf("%d:%s", count, askedCPUs().ReplaceAllString(chunk, fmt.Sprintf("ncpus=%d", n/count)))
		}
	}
	return fmt.Sprintf("%d:ncpus=1", n)
}

// cutCount cuts off how many chunks there are.
func cutCount(chunk string) (n int, rest string) {
	before, after, ok := strings.Cut(chunk, ":")
	if n, err := strconv.Atoi(before); err == nil && n > 0 {
		if !ok {
			after = "ncpus=1"
		}
		return n, after
	}
	return 1, chunk
}

// chunked returns what is asked for with the select that PBS makes of what a job without one asks for of hosts, where that is
// more than ncpus and mem, of which everybody makes a chunk.
func (s *Site) chunked(a Ask) Ask {
	if a.is != nil || a.of("select") != "" || a.of("nodes") != "" {
		return a
	}
	chunk, isMore := "1", false
	for _, r := range a.Resources {
		if s.Site.IsOfChunks(r.Name) {
			chunk += ":" + r.Name + "=" + r.Value
			isMore = isMore || r.Name != "ncpus" && r.Name != "mem"
		}
	}
	if isMore {
		a.Resources = append(slices.Clone(a.Resources), Resource{"select", chunk})
	}
	return a
}

// requested returns the resources with those that follow from a select, as PBS keeps them.
func (a Ask) requested() []Resource {
	text := a.of("select")
	if text == "" {
		return a.Resources
	}
	sums, sizes := map[string]float64{}, map[string]bool{}
	nodes := 0
	for part := range strings.SplitSeq(text, "+") {
		n, chunk := cutCount(part)
		nodes += n
		for asked := range strings.SplitSeq(chunk, ":") {
			name, value, _ := strings.Cut(asked, "=")
			if x, ok := number(value); ok {
				sums[name] += x * float64(n)
				last := value[len(value)-1] | 0x20
				sizes[name] = last == 'b' || last == 'w'
			}
		}
	}
	list := slices.DeleteFunc(slices.Clone(a.Resources), func(r Resource) bool { _, is := sums[r.Name]; return is || r.Name == "nodect" })
	list = append(list, Resource{"nodect", strconv.Itoa(nodes)})
	for name, x := range sums {
		unit := ""
		if sizes[name] {
			unit = "kb"
		}
		list = append(list, Resource{name, strconv.FormatFloat(x, 'f', 0, 64) + unit})
	}
	slices.SortFunc(list, func(a, b Resource) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// listed yields the resources of a request as lists of jobs have it, and how much of each.
func listed(request string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for part := range strings.SplitSeq(request, string(trace.RequestEnd)) {
			if name, value, ok := strings.Cut(part, "="); ok && !yield(name, value) {
				return
			}
		}
	}
}

// askOf returns what a job of the list asks for.
func (s *Site) askOf(id string) (Ask, bool) {
	for i := range s.Now {
		n := &s.Now[i]
		if n.ID != id || n.Letter != 'Q' || n.IsArray {
			continue
		}
		return s.askAs(n), true
	}
	return Ask{}, false
}

// askAs returns what a job asks for.
func (s *Site) askAs(n *trace.ListedJob) Ask {
	names := s.Past.Names.List
	a := Ask{User: names[n.User], Queue: names[n.Queue], is: n, priority: n.Priority}
	for name, value := range listed(names[n.Request]) {
		if name != trace.PlacedSelect {
			a.Resources = append(a.Resources, Resource{name, value})
		}
	}
	if n.Walltime > 0 {
		a.set("walltime", report.Duration(float64(n.Walltime)))
	}
	return a
}

// with returns a site with a job as it is asked for: a new one is the first of the list, and one that is there stays at its place.
func (s *Site) with(a Ask) *Site {
	as := trace.Submission{ID: forecast.NewID, User: a.User, Queue: a.Queue, At: s.At}
	as.Group, as.Project = s.groupOf(a)
	as.Requested = func(yield func(name, value []byte) bool) {
		for _, r := range s.requestOf(a) {
			if !yield([]byte(r.Name), []byte(r.Value)) {
				return
			}
		}
	}
	job, of := s.Past.Submitted(as), *s
	if a.is == nil {
		job.Eligible, job.Priority = 0, a.priority
		of.Now = append([]trace.ListedJob{job}, s.Now...)
		return &of
	}
	changed := *a.is // qalter and qmove leave the rest as it is, but for what PBS wrote of the job as it was
	changed.Job, changed.Priority = a.is.Requesting(job.Job), a.priority
	changed.Project = job.Project
	changed.Otherwise = changed.Estimated
	changed.Comment, changed.Says, changed.Lacks, changed.Unreadable, changed.Estimated = "", "", "", "", 0
	of.Now, of.tried = slices.Clone(s.Now), a.is.ID
	of.Now[slices.IndexFunc(of.Now, func(n trace.ListedJob) bool { return n.ID == a.is.ID })] = changed
	return &of
}

// requestOf returns the resources that PBS keeps of what is asked for. A job that is there keeps the select by which it is placed, unless
// its chunks are changed.
func (s *Site) requestOf(a Ask) []Resource {
	if a.is == nil {
		return a.requested()
	}
	_, changed := s.changedBy(a)
	if slices.ContainsFunc(changed, func(r Resource) bool { return r.Name != "place" && r.Name != "walltime" }) {
		return a.requested()
	}
	list := slices.Clone(a.Resources)
	for name, value := range listed(s.Past.Names.List[a.is.Request]) {
		if name == trace.PlacedSelect {
			list = append(list, Resource{name, value})
		}
	}
	return list
}

// changedBy returns by what a job that is there is asked for otherwise than it is: whether in another queue, and which resources.
func (s *Site) changedBy(a Ask) (moves bool, changed []Resource) {
	was := s.askAs(a.is)
	had := was.requested()
	for _, r := range a.requested() {
		if !slices.Contains(had, r) {
			changed = append(changed, r)
		}
	}
	return was.Queue != a.Queue, changed
}

// isAsItIs reports whether a job that is there is asked for as it is.
func (s *Site) isAsItIs(a Ask) bool {
	if a.is == nil {
		return false
	}
	moves, changed := s.changedBy(a)
	_, project := s.groupOf(a)
	return !moves && changed == nil && a.priority == a.is.Priority && project == s.Past.Names.List[a.is.Project]
}

// Users implements forecast.Subject.
func (s *Site) Users() map[string]bool {
	users := s.jobUsers()
	for _, name := range s.Site.TreeUsers() {
		users[name] = true
	}
	return users
}

// jobUsers returns who has a job in the list or in the logs.
func (s *Site) jobUsers() map[string]bool {
	names, users := s.Past.Names.List, map[string]bool{}
	for _, n := range s.Now {
		users[names[n.User]] = true
	}
	for _, j := range s.Past.Jobs {
		users[names[j.User]] = true
	}
	return users
}

// lastOf returns the last job of a user that is known, nil for none.
func (s *Site) lastOf(user string) *trace.Job {
	names := s.Past.Names.List
	for _, n := range slices.Backward(s.Now) {
		if names[n.User] == user {
			return n.Job
		}
	}
	for _, j := range slices.Backward(s.Past.Jobs) {
		if names[j.User] == user {
			return j
		}
	}
	return nil
}
