package pbs

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/jobs"
)

// Queue is a queue of a site.
type Queue struct {
	Name     string
	Priority int // 0 if it is not set
	Stopped  bool
}

// maxFile bounds what qmgr and qstat -Q print.
const maxFile = 64 << 20

// readQueues reads the site's queues.
func (s *Site) readQueues(from file.Source) (remarks []diag.Remark, err error) {
	s.Queues, err = parseQueues(from)
	if err == nil && len(s.Queues) == 0 {
		remarks = append(remarks, diag.Warningf("%s names no queue", from.Name))
	}
	return remarks, err
}

// parseQueues reads a file as qstat -Qf prints it, as text or JSON, or as qmgr's
// "print queue", "list queue" or "print server" does. The queues are in the order
// of the file.
func parseQueues(from file.Source) ([]Queue, error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return queuesOf(from.Name, ParseObjects(text))
	}
	var queues []Queue
	read := func(b *jobs.Batch) error {
		for i := range b.Records {
			r := &b.Records[i]
			q := Queue{Name: string(r.ID)}
			for k, name := range queueAttributes {
				if r.Values[k] != nil {
					if err := q.set(name, string(r.Values[k])); err != nil {
						return fmt.Errorf("%s: %w", from.Name, err)
					}
				}
			}
			queues = append(queues, q)
		}
		return nil
	}
	options := jobs.Options{Schema: jobs.NewSchema(queueAttributes...), Queues: true, Workers: 1}
	_, err = jobs.Read(strings.NewReader(text), options, read, func(err error) error { return err })
	return queues, err
}

// queuesOf returns the queues among a site's objects.
func queuesOf(name string, objects []*Object) ([]Queue, error) {
	var queues []Queue
	for _, o := range objects {
		if o.Kind != "queue" {
			continue
		}
		q := Queue{Name: o.Name}
		for _, a := range o.Attributes {
			if err := q.set(a.Name, a.Value); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", name, a.Line, err)
			}
		}
		queues = append(queues, q)
	}
	return queues, nil
}

// queueAttributes are the attributes of a queue that matter here.
var queueAttributes = []string{"Priority", "started"}

// set sets an attribute; those that do not matter here are passed over.
func (q *Queue) set(name, value string) error {
	switch name {
	case "Priority":
		priority, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("the priority of queue %s, %q, is not a number", q.Name, value)
		}
		q.Priority = priority
	case "started":
		q.Stopped = strings.EqualFold(value, "false")
	}
	return nil
}
