package forecast

import (
	"iter"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// mostSubjobs bounds how many subjobs of one array are forecast that the list does not have one by one.
const mostSubjobs = 1000

// knownSubjobs are the subjobs that the list of jobs or the logs have one by one.
type knownSubjobs struct {
	listed   map[string]bool // by their IDs
	isListed map[string]bool // whether the list has subjobs of an array, by its ID
	ended    map[string]bool // those of the logs that do not wait any more, by their IDs
}

// knownSubjobs returns the subjobs that the list of jobs or the logs have one by one, none where the list has no array that they may be of.
func (s *Site) knownSubjobs() knownSubjobs {
	k := knownSubjobs{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	if !slices.ContainsFunc(s.Now, func(n trace.ListedJob) bool { return n.IsArray }) {
		return k
	}
	for _, j := range s.Past.Jobs {
		if _, _, isSubjob := trace.Subjob(j.ID); isSubjob && j.State != trace.Waiting {
			k.ended[j.ID] = true
		}
	}
	for _, n := range s.Now {
		if array, _, isSubjob := trace.Subjob(n.ID); isSubjob {
			k.listed[n.ID], k.isListed[array] = true, true
		}
	}
	return k
}

// unlisted returns the IDs of the subjobs that wait, with their places, of an array of which the list does not have them one by one.
func (k knownSubjobs) unlisted(n trace.ListedJob) iter.Seq2[int, string] {
	text, others := n.Left, k.listed
	if n.Left == "" {
		text, others = n.Indices(), k.ended
	}
	return func(yield func(int, string) bool) {
		indices, ok := trace.ParseIndices(text)
		if !ok || n.Left == "" && k.isListed[n.ID] {
			return
		}
		count := 0
		for index := range indices.All() {
			if id := trace.SubjobID(n.ID, index); !others[id] {
				if !yield(count, id) {
					return
				}
				count++
			}
		}
	}
}

// asSubjob returns the subjob of an ID of an array as a job of the list that waits.
func asSubjob(n trace.ListedJob, id string) trace.ListedJob {
	sub, of := n, *n.Job
	of.ID, of.IsArray, of.Start, of.State = id, false, trace.Unknown, trace.Waiting
	sub.Job = &of
	if sub.Letter == 'B' {
		sub.Letter = 'Q'
	}
	return sub
}

// cutArrays says of which arrays only the first subjobs are forecast.
func (s *Site) cutArrays() []diag.Remark {
	var cut []string
	known := s.knownSubjobs()
	for _, n := range s.Now {
		if !n.IsArray {
			continue
		}
		for count := range known.unlisted(n) {
			if count == mostSubjobs {
				cut = append(cut, n.ID)
				break
			}
		}
	}
	if cut == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s of which more than %d subjobs wait (%s): the others are left out, so that they start later, and jobs behind them earlier, than they would", report.Count(len(cut), "array"), mostSubjobs, report.First(cut))}
}
