package nodes_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	baseforecast "fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm/forecast"
	slurmnodes "fairshare/cmd/internal/slurm/nodes"
	"fairshare/cmd/internal/slurm/order"
)

// submittedLines are lines of sbatch for jobs that licences, limits, other jobs, the state of nodes and partitions and much else hold.
var submittedLines = strings.Split(strings.TrimSpace(`
-n1
-n1 -t 10
-n4 -c2
-N2 -n8
-n60
-n100 -t 30
-n1 --mem=1G
-n1 --mem=40G
-N1 --exclusive
-n1 -L matlab:1
-n1 -L matlab:4
-n1 -L matlab:2 -t 5
-n1 -d afterok:189
-n1 -d after:189
-n1 -d afterany:999999
-n1 -d afterok:195
-n1 -d afterok:999999?afterok:195
-n1 -d singleton
-n1 -b now+2hours
-n1 -p short
-n1 -p gpu
-n1 -p gpu --gres=gpu:1
-n1 -p gpu --gres=gpu:4
-n1 -p whole
-n1 -p scavenge
-n1 -p old
-n1 -p batch,short
-n20 -p batch,short -t 20
-n1 -q high
-n60 -q high
-n30 -q high -t 1-0
-n4 -w a003
-n1 -w a003
-n1 -w a006
-n4 -w b001
-n1 -x m001
-n8 -C ib
-n1 -C amd
-n1 --reservation=course
-n1 -a 1-5
-n16 --ntasks-per-node=8
-n1 --hold
`), "\n")

// A job for which there is room without a hold, as nodes says, starts in the next cycle, as when says, unless others go before it; and
// one that starts in the next cycle has room without a hold.
func TestRoomAndStarts(t *testing.T) {
	names, err := filepath.Glob("../../../../testdata/slurm-now/*.tgz")
	if err != nil || len(names) == 0 {
		t.Fatal(err, len(names))
	}
	starts, holds := 0, map[string]bool{}
	users := []string{"cleo", "ben"}
	for at, name := range names {
		now, _, err := order.OpenNow(name, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := forecast.Read(now, nil, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := order.OpenNow(name, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range submittedLines {
			user := users[(at+i)%len(users)]
			what := fmt.Sprintf("%s: sbatch %s of %s", filepath.Base(name), line, user)
			offer, err := s.New(user, "", line)
			if err == nil {
				err = offer.Check()
			}
			queue := ""
			if !strings.Contains(line, "-p ") {
				queue = s.UsualPartition()
			}
			m, _, wrong := slurmnodes.Read(t.Context(), again, time.UTC, nodes.Question{Submit: line, User: user, Queue: queue})
			if (err != nil) != (wrong != nil) {
				t.Errorf("%s: when says %v, nodes %v", what, err, wrong)
			}
			if err != nil || wrong != nil {
				continue
			}
			when := offer.Refused()
			if (when != "") != (m.Asked.Refused != "") {
				t.Errorf("%s: when says that it is refused: %q, nodes %q", what, when, m.Asked.Refused)
			}
			if when != "" {
				continue
			}
			when = firstReason(t, offer)
			isFree := m.Asked.Fits && m.Asked.Now == "" && m.Asked.Later == ""
			isStarting := strings.HasPrefix(when, outcome.StartsNow) && !strings.Contains(when, "preempt")
			isBehind := strings.HasPrefix(when, "Priority") || strings.HasPrefix(when, "Resources")
			switch {
			case isStarting && !isFree:
				t.Errorf("%s: when says that it starts, and nodes that %s", what, nodes.NewAnswer(m, nodes.Question{}).Head())
			case isFree && !isStarting && !isBehind:
				t.Errorf("%s: nodes says that there is room on %v, and when that it waits for %q", what, m.Asked.Places, when)
			case isStarting:
				starts++
			case m.Asked.Fits && !isFree:
				word, _, _ := strings.Cut(strings.TrimPrefix(m.Asked.Now+m.Asked.Later, "waits for "), " ")
				holds[word] = true
			}
		}
	}
	if starts < 40 || len(holds) < 4 {
		t.Errorf("%d starts, held by %v", starts, holds)
	}
}

// firstReason returns what a job waits for as when says it.
func firstReason(t *testing.T, of baseforecast.Offer) string {
	t.Helper()
	_, list, err := baseforecast.Advise(t.Context(), baseforecast.Options{Runs: 1, Seed: 1, Horizon: baseforecast.DefaultHorizon}, of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Job.Reason
}
