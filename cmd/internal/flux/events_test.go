package flux

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// readEvents reads a file of the events of a recorded run.
func readEvents(t *testing.T, name string, into any) {
	t.Helper()
	content := workshop.Unpacked(t, "../../../testdata/flux-site/events/"+name+".json.gz")
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatal(name, err)
	}
}

// lists are those of the database of a site that flux's priority plugin takes over at an update.
type lists struct {
	Associations []struct {
		Name string `json:"username"`
		ID   int    `json:"userid"`
		Bank string `json:"bank"`
	}
	Factors map[string]float64
	Queues  []struct {
		Queue    string
		Priority float64
	}
	Banks []struct {
		Bank     string
		Priority float64
	}
}

// event is something that happened to a job.
type event struct {
	job     int
	Time    float64 `json:"timestamp"`
	Name    string
	Context struct {
		UserID, Urgency int
		Priority        float64
		Fairshare       *float64
		Queue           string `json:"attributes.system.queue"`
		Bank            string `json:"attributes.system.bank"`
	}
}

// plugin is what flux's priority plugin keeps.
type plugin struct {
	weights       Weights
	queues, banks map[string]float64
	factors       map[[2]string]Factors // of users in banks, set by their last submission
}

// update takes over what the database has.
func (p *plugin) update(l *lists) {
	p.weights = Weights{l.Factors["fairshare"], l.Factors["queue"], l.Factors["bank"], l.Factors["urgency"]}
	p.queues, p.banks = map[string]float64{}, map[string]float64{}
	for _, q := range l.Queues {
		p.queues[q.Queue] = q.Priority
	}
	for _, b := range l.Banks {
		p.banks[b.Bank] = b.Priority
	}
}

// All 877 priorities that flux gave in two runs, as their events tell, are those of the rules: with the fairshare that
// the job was given last, and with the queue and the bank of the last submission of its user in its bank, or of the
// queue that one of the user's jobs was moved to since.
func TestRecordedEvents(t *testing.T) {
	count := 0
	for _, run := range []string{"R1", "R2"} {
		var logs map[string][]event
		var updates []struct {
			Times struct {
				Updated float64 `json:"fshare_updated"`
			}
			Before lists
		}
		var specs map[string]struct {
			Attributes struct{ System struct{ Queue, Bank string } }
		}
		readEvents(t, run+"/eventlogs", &logs)
		readEvents(t, run+"/updates", &updates)
		readEvents(t, run+"/jobspecs", &specs)
		names := map[int]string{}
		for _, a := range updates[0].Before.Associations {
			names[a.ID] = a.Name
		}
		var events []event
		for id, log := range logs {
			for _, e := range log {
				e.job, _ = strconv.Atoi(id)
				events = append(events, e)
			}
		}
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.job, b.job)) })
		p := &plugin{factors: map[[2]string]Factors{}}
		p.update(&updates[0].Before)
		type standing struct {
			of        [2]string // the user, and the bank
			queue     string    // at submission
			urgency   int
			fairshare float64
		}
		jobs := map[int]*standing{}
		for _, e := range events {
			for len(updates) > 0 && e.Time >= updates[0].Times.Updated {
				p.update(&updates[0].Before)
				updates = updates[1:]
			}
			j := jobs[e.job]
			switch e.Name {
			case "submit":
				asked := specs[strconv.Itoa(e.job)].Attributes.System
				jobs[e.job] = &standing{of: [2]string{names[e.Context.UserID], asked.Bank}, queue: asked.Queue, urgency: e.Context.Urgency, fairshare: InitialFairshare}
			case "jobspec-update":
				j.of[1] = cmp.Or(e.Context.Bank, j.of[1])
				if e.Context.Queue != "" {
					p.factors[j.of] = Factors{Queue: p.queues[e.Context.Queue], Bank: p.factors[j.of].Bank}
				}
			case "validate":
				p.factors[j.of] = Factors{Queue: p.queues[j.queue], Bank: p.banks[j.of[1]]}
			case "urgency":
				j.urgency = e.Context.Urgency
			case "memo":
				if e.Context.Fairshare != nil {
					j.fairshare = *e.Context.Fairshare
				}
			case "priority":
				f := p.factors[j.of]
				f.Fairshare = j.fairshare
				if count++; p.weights.Priority(f, j.urgency) != e.Context.Priority {
					t.Errorf("%s: job %d of %v has priority %g at %f, not %g", run, e.job, j.of, e.Context.Priority, e.Time, p.weights.Priority(f, j.urgency))
				}
			}
		}
	}
	if count != 877 {
		t.Errorf("%d priorities", count)
	}
}
