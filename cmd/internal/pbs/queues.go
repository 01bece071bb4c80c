package pbs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Queue is a queue of a site.
type Queue struct {
	Name     string
	Priority int // 0 if it is not set
	Stopped  bool
	Routes   bool // whether it only hands jobs on
	Deleted  bool // by commands that are tried: it stays for the jobs that are in it, and takes no others

	Partition string // the scheduler that places its jobs, "" for the default one

	Attributes Attributes // those that a replay depends on
}

// WhyRoutes says why the scheduler does not look at the jobs of a routing queue.
func (q Queue) WhyRoutes() string {
	return "queue " + q.Name + " only hands jobs on: the server moves it when " + q.Takers() + " takes it"
}

// State says what of being enabled and started a queue is not, "" for one that is both.
func (q Queue) State() string {
	var not []string
	if q.Deleted || strings.EqualFold(q.Attributes["enabled"], "false") {
		not = append(not, "not enabled")
	}
	if q.Stopped {
		not = append(not, "not started")
	}
	return strings.Join(not, ", ")
}

// Destinations returns the queues to which a routing queue hands jobs on, as far as they are told.
func (q Queue) Destinations() []string {
	return strings.FieldsFunc(q.Attributes["route_destinations"], func(c rune) bool { return c == ',' || c == ' ' })
}

// Takers returns in words to which queues a routing queue hands jobs on: "a queue" where they are not told.
func (q Queue) Takers() string { return cmp.Or(strings.Join(q.Destinations(), " or "), "a queue") }

// WhyClosed says why a queue takes no job that is submitted to it, whatever that asks for, "" if it may take some.
func (q Queue) WhyClosed() string {
	switch {
	case q.Deleted:
		return "queue " + q.Name + " is deleted, and takes no jobs"
	case q.Routes:
		if len(q.Destinations()) > 0 {
			return "queue " + q.Name + " only hands jobs on: name the queue that shall take it, " + q.Takers()
		}
		return "queue " + q.Name + " only hands jobs on"
	case strings.EqualFold(q.Attributes["enabled"], "false"):
		return "queue " + q.Name + " takes no jobs (enabled is false)"
	case strings.EqualFold(q.Attributes["from_route_only"], "true"):
		return "queue " + q.Name + " takes jobs from routing queues alone (from_route_only)"
	}
	return ""
}

// maxFile bounds what qmgr and qstat -Q print.
const maxFile = 64 << 20

// readQueues reads the site's queues from the first of some sources that has any:
// what qstat -Qf prints in any form, or qmgr's "print queue", "list queue" or
// "print server". It is an error if none of them has one. The queues are in the
// order of the text.
func (s *Site) readQueues(sources []file.Source) ([]diag.Remark, error) {
	objects, remarks, err := firstQueues(sources)
	if err == nil {
		s.Queues, _ = queuesOf("", objects)
	}
	return remarks, err
}

// firstQueues returns the queues of the first of some sources that has any, as parseQueues does.
func firstQueues(sources []file.Source) (objects []*Object, remarks []diag.Remark, err error) {
	for i, from := range sources {
		objects, more, err := parseQueues(from)
		remarks = append(remarks, more...)
		if err == nil && len(objects) > 0 {
			for _, other := range sources[i+1:] { // which do not count
				if others, _, err := parseQueues(other); err == nil {
					remarks = append(remarks, queuesDiffer(objects, from.Name, others, other.Name)...)
				}
			}
			return objects, remarks, nil
		}
		if err == nil {
			err = errNoQueue(from)
		}
		if i+1 == len(sources) {
			return nil, remarks, err
		}
		remarks = append(remarks, diag.Damagef("%v", err))
	}
	return nil, remarks, nil
}

// errNoQueue says that a file has no queue.
func errNoQueue(from file.Source) error {
	return fmt.Errorf("%s names no queue: it is neither qstat -Qf nor qmgr's \"print queue\" or \"list queue\"", from.Name)
}

// parseQueues returns the queues of a file, without the attributes whose values do not count, of which the remarks say so.
func parseQueues(from file.Source) (objects []*Object, remarks []diag.Remark, err error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, nil, err
	}
	objects, remarks = ParseObjects(from.Name, text)
	objects = slices.DeleteFunc(objects, func(o *Object) bool { return o.Kind != "queue" })
	_, more := queuesOf(from.Name, objects)
	return objects, slices.Concat(remarks, more, sayUnknown(from.Name, objects, "queue")), nil
}

// queuesOf returns the queues among objects of a file. It takes from them the attributes whose values do not count, and says so.
func queuesOf(name string, objects []*Object) (queues []Queue, remarks []diag.Remark) {
	for _, o := range objects {
		if o.Kind != "queue" {
			continue
		}
		q := Queue{Name: o.Name, Deleted: o.IsDeleted}
		o.Attributes = slices.DeleteFunc(o.Attributes, func(a Attribute) bool {
			err := q.take(a)
			if err != nil {
				remarks = append(remarks, diag.Damagef("%s: line %d: %s of %s does not count: %v", name, a.Line, a.Name, o, err).At(name, a.Line))
			}
			return err != nil
		})
		q.Attributes, _ = q.Attributes.with(o)
		queues = append(queues, q)
	}
	return queues, remarks
}

// take sets an attribute that is not kept as a text, and returns what is wrong with the value of any.
func (q *Queue) take(a Attribute) error {
	if s := textSetting(a.Name); s != nil {
		return s.checkText(a.Name, a.Value)
	}
	return q.set(a.Name, a.Value)
}

// set sets an attribute; those that do not matter here are passed over.
func (q *Queue) set(name, value string) error {
	_, resource, isOfResource := strings.Cut(name, ".")
	if s := SettingOf(OfQueue, name); s != nil && s.queue != nil && s.PerResource == isOfResource {
		return s.queue.set(q, resource, value)
	}
	return nil
}
