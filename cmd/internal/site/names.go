// Package site is the front door: what a person names a site with, and which scheduler's it is.
package site

import "time"

// Names are what a person names a site and its jobs with. All that they name together is one
// site: files given one by one win over a snapshot or a complex.
type Names struct {
	Argument string // a site or a list of jobs
	Snapshot string
	Live     bool   // whether to ask the complex of this host
	Server   string // to ask instead, "" for none
	Timeout  time.Duration
	Vnodes   bool // whether a complex is asked for its vnodes and reservations as well

	SchedPriv string
	Jobs      string
	Queues    string
	Resources string
	Sched     []string // attributes of the server or the scheduler
}
