package pbs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

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

// readQueues reads a file as qstat -Qf prints it, as text or JSON. The queues
// are in the order of the file.
func readQueues(path string) ([]Queue, error) {
	text, err := file.ReadText(path, maxFile)
	if err != nil {
		return nil, err
	}
	var queues []Queue
	read := func(b *jobs.Batch) error {
		for i := range b.Records {
			r := &b.Records[i]
			q := Queue{Name: string(r.ID), Stopped: strings.EqualFold(string(r.Values[1]), "false")}
			if r.Values[0] != nil {
				var err error
				if q.Priority, err = strconv.Atoi(string(r.Values[0])); err != nil {
					return fmt.Errorf("%s: the priority of queue %s, %q, is not a number", path, q.Name, r.Values[0])
				}
			}
			queues = append(queues, q)
		}
		return nil
	}
	options := jobs.Options{Schema: jobs.NewSchema("Priority", "started"), Queues: true, Workers: 1}
	_, err = jobs.Read(bytes.NewReader([]byte(text)), options, read, func(err error) error { return err })
	return queues, err
}
