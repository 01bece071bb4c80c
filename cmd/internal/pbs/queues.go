package pbs

import (
	"fmt"
	"regexp"
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

	Attributes Attributes // those that a replay depends on
}

// maxFile bounds what qmgr and qstat -Q print.
const maxFile = 64 << 20

// readQueues reads the site's queues from the first of some sources that has any:
// what qstat -Qf prints, as text or JSON, or qmgr's "print queue", "list queue" or
// "print server". It is an error if none of them has one. The queues are in the
// order of the text.
func (s *Site) readQueues(sources []file.Source) ([]diag.Remark, error) {
	var remarks []diag.Remark
	for i, from := range sources {
		queues, more, err := parseQueues(from)
		remarks = append(remarks, more...)
		if err == nil && len(queues) > 0 {
			s.Queues = queues
			return remarks, nil
		}
		if err == nil {
			err = fmt.Errorf("%s names no queue: it is neither qstat -Qf nor qmgr's \"print queue\" or \"list queue\"", from.Name)
		}
		if i+1 == len(sources) {
			return remarks, err
		}
		remarks = append(remarks, diag.Damagef("%v", err))
	}
	return remarks, nil
}

func parseQueues(from file.Source) (queues []Queue, remarks []diag.Remark, err error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, nil, err
	}
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		queues, err = parseQueuesJSON(from.Name, text)
		return queues, nil, err
	}
	objects, isCutOff := ParseObjects(text)
	if isCutOff {
		remarks = append(remarks, cutOff(from))
	}
	for _, o := range objects {
		if o.Kind != "queue" {
			continue
		}
		q := Queue{Name: o.Name}
		var problems []error
		q.Attributes, problems = q.Attributes.with(o)
		for _, problem := range problems {
			remarks = append(remarks, diag.Damagef("%s: %v", from.Name, problem))
		}
		for _, a := range o.Attributes {
			if err := q.set(a.Name, a.Value); err != nil {
				return nil, remarks, fmt.Errorf("%s: line %d: %w", from.Name, a.Line, err)
			}
		}
		queues = append(queues, q)
	}
	return queues, remarks, nil
}

// hasQueues finds the member of JSON in which qstat -Qf has its queues.
var hasQueues = regexp.MustCompile(`"Queue"\s*:\s*\{`)

func parseQueuesJSON(name, text string) ([]Queue, error) {
	var queues []Queue
	if !hasQueues.MatchString(text) {
		return nil, nil
	}
	read := func(b *jobs.Batch) error {
		for i := range b.Records {
			r := &b.Records[i]
			q := Queue{Name: string(r.ID)}
			for k, attribute := range queueAttributes {
				if r.Values[k] != nil {
					if err := q.set(attribute, string(r.Values[k])); err != nil {
						return fmt.Errorf("%s: %w", name, err)
					}
				}
			}
			queues = append(queues, q)
		}
		return nil
	}
	options := jobs.Options{Schema: jobs.NewSchema(queueAttributes...), Queues: true, Workers: 1}
	_, err := jobs.Read(strings.NewReader(text), options, read, func(err error) error { return err })
	return queues, err
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
