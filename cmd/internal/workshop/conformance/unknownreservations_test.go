package conformance

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// A job has room now where nothing tells of the reservations only if it has it where they are told too, or if one keeps it away that has
// not begun, which is said: that others are not known. Two jobs are asked about of those that are of one partition and QOS and ask for as many
// nodes, of the same features, GPUs, sharing and reservation.
func TestUnknownReservations(t *testing.T) {
	t.Parallel()
	waits := regexp.MustCompile(`JobId=(\d+)(?: .*)?\n(?: .*\n)*? +JobState=PENDING(?: .*)?\n(?:.+\n?)*`)
	asksFor := regexp.MustCompile(`\b(?:QOS|Partition|NumNodes|Features|Reservation|OverSubscribe|TresPer\w+)=\S+`)
	const unknown = "whether a reservation begins there before it would end is not known"
	rooms, uncounted := 0, 0
	for _, from := range matching(t, "slurm-now/*.tgz") {
		site := path.Base(from)
		whole := members(t, from)
		some := maps.Clone(whole)
		isReserved := false
		for name, text := range whole {
			if strings.HasPrefix(text, "ReservationName=") {
				delete(some, name)
			}
			isReserved = isReserved || strings.Contains(name, "node") && strings.Contains(text, "+RESERVED")
		}
		if !isReserved {
			continue
		}
		type room struct {
			Asked struct {
				Fits     bool
				Nodes    []string
				NotKnown string `json:"not_known"`
			}
			Reservations []struct {
				Start int64
				Nodes []string
			}
			At int64
		}
		told, untold := write(t, "told/"+site, whole), write(t, "untold/"+site, some)
		of := func(dir, job string) (x room) {
			if a := ask("nodes", dir, job, "-o", "json", "--tz", "UTC"); json.Unmarshal([]byte(a.out), &x) != nil {
				t.Fatalf("%s: job %s: %s", site, job, a.said)
			}
			return x
		}
		kinds := map[string]int{}
		for i, m := range waits.FindAllStringSubmatch(whole["scontrol-show-job.txt"], -1) {
			kind := strings.Join(asksFor.FindAllString(m[0], -1), " ")
			if kinds[kind]++; kinds[kind] > 2 || !workshop.Among(i, 8) {
				continue
			}
			with, without := of(told, m[1]), of(untold, m[1])
			if strings.Contains(without.Asked.NotKnown, "not counted: ") {
				uncounted++
			}
			isOfCores := strings.Contains(with.Asked.NotKnown, "CPUs that count as free here") // of a node of which a reservation has some
			if with.Asked.NotKnown != "" && !isOfCores {
				t.Errorf("%s: of job %s, whose reservations are known: %q", site, m[1], with.Asked.NotKnown)
			}
			if !without.Asked.Fits {
				continue
			}
			rooms++
			begins := func(node string) bool {
				for _, k := range with.Reservations {
					if k.Start > with.At && slices.Contains(k.Nodes, node) {
						return true
					}
				}
				return false
			}
			if !with.Asked.Fits && !slices.ContainsFunc(without.Asked.Nodes, begins) {
				t.Errorf("%s: job %s has room on %v only where no reservation is known", site, m[1], without.Asked.Nodes)
			}
			if !strings.Contains(without.Asked.NotKnown, unknown) {
				t.Errorf("%s: job %s has room on %v, and of reservations that begin it is said: %q", site, m[1], without.Asked.Nodes, without.Asked.NotKnown)
			}
			if a := ask("explain", m[1], untold); strings.Contains(a.out, "there is room for it now") && !strings.Contains(a.out, unknown) {
				t.Errorf("%s: %s", site, a.out)
			}
		}
	}
	if least := fewest(1, 1); rooms < least || uncounted < least {
		t.Errorf("%d jobs have room, and of %d nodes are not counted", rooms, uncounted)
	}
}
