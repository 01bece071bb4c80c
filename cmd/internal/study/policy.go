package study

import (
	"context"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/work"
)

// Policy is a way to run a site.
type Policy struct {
	Name      string
	Formula   string // that it orders jobs by, "" for none
	IsInForce bool   // whether the site is known to have been run like this
	On        string // the cluster if the policy changes it, "" for that of the site
	Runner
}

// Runner replays work by the rules of one scheduler with the settings of one policy. Its methods
// may be called by several goroutines.
type Runner interface {
	// Run replays work, which is that of the study or the same as shaken. If the context is done
	// before the end, the result is what there is by then, and says that it is cut.
	Run(ctx context.Context, w *work.Work, ask outcome.Ask, progress func(part float64)) (*outcome.Result, error)

	// Impossible reports which jobs of the study's work the policy's cluster can never run, by their
	// numbers; nil for none. They count under no policy.
	Impossible() []bool

	// CPUs returns how many cpus the policy's cluster has.
	CPUs() float64
}

// Changes are in what a new policy differs from the one in force.
type Changes struct {
	Name      string   // "" for its formula and settings
	Formula   string   // "" for that in force
	SchedPriv string   // another tree and sched_config, "" for none
	Settings  []string // NAME=VALUE, as the site's scheduler has them

	From  string         // the file that asks for them, "" for none
	Lines map[string]int // of the file: by what stands there, a setting, a formula or a sched_priv
}
