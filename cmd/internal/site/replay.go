package site

import (
	"context"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/search"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/witness"
)

// Replayer replays what a site has recorded.
type Replayer interface {
	// Setting returns the whole name of the setting that a search tries by a name; false for one that is free in a formula.
	Setting(name string) (whole string, isSetting bool)

	// Submitter returns how the site's own cluster makes a search.
	Submitter() search.Submitter

	// Replay returns the study of the record, without its policies.
	Replay(ctx context.Context, q Replaying) (*Study, error)
}

// Replaying is what is replayed, and under which policies. Files are named instead of what the site has.
type Replaying struct {
	Zone *time.Location // of the times that are asked for, nil for this machine's

	Formulas  []string // each a new policy
	Files     []string // with new policies
	SchedPriv []string // that of the policy in force, and each further one a new policy
	Settings  []string // of all new policies
	NoFormula bool     // whether the policy in force is taken without its formula
	NonPrime  bool     // whether the settings of non-prime time hold
	Grid      *search.Grid

	Partition string // the scheduler that is asked for, "" for all of them
	Queues    string
	Resources string
	Sched     []string // attributes of the server or the scheduler
	Jobs      string   // with what records do not tell of them
	Usage     string   // that of the begin
	Nodes     string
	Events    string // what happened to nodes
	Cluster   string // its specification, instead of nodes
	AllNodes  bool   // whether nodes that are down count

	ReportLag    *float64 // seconds, nil to estimate
	StartLatency *float64 // likewise

	Calibrate bool
	Top       int // how many limits a calibration shows, 0 for all
}

// Study is a study of what a site has recorded.
type Study struct {
	*study.Study
	Site      search.Site                                // that a search tries policies of
	IsKnown   bool                                       // whether it is known which policy is in force
	Use       func() error                               // makes the policies that are asked for those of the study
	Record    func() witness.Record                      // by which its first policy is judged once it is in use; nil where nothing judges it
	Calibrate func(ctx context.Context) (*Answer, error) // where it is asked for
}

// Witnesser is a site that has recorded what judges its rules.
type Witnesser interface {
	// Witness returns the record, as the rules of the policy in force judge it, with the settings that are asked for.
	Witness(ctx context.Context, q Replaying) (witness.Record, error)
}

// PastJudge is a site whose past judges the rules by which something else is answered.
type PastJudge interface {
	// Past returns the record that judges them, nil where there is none, and says nothing: who asks says what is
	// assumed. usage is the file with that at its begin, "" for none.
	Past(ctx context.Context, q Forecasting, usage string) (witness.Record, error)
}

// Trier is a site over which files may be given that try something, as settings do.
type Trier interface {
	// Tries reports whether such files have been read.
	Tries() bool
}

// Interrupted returns what to say where a context is done: that not all was made.
func Interrupted(ctx context.Context, left string) []diag.Remark {
	if ctx.Err() == nil {
		return nil
	}
	r := diag.Warningf("interrupted: %s", left)
	r.IsCut = true
	return []diag.Remark{r}
}
