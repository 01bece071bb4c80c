package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MisfitError is that no vnodes could ever give a request what it asks for.
type MisfitError struct {
	Request string // such as "select=1:ncpus=8:place=free"
	Cluster string // how large the cluster is
	Lacks   string // what it lacks: "no vnode has 8 ncpus (most: 4)"
}

func (e *MisfitError) Error() string {
	return fmt.Sprintf("%s fits on no vnodes of the cluster (%s in all): %s", e.Request, e.Cluster, e.Lacks)
}

// lacks says what keeps a request from a cluster that nobody uses. Each chunk is tried by itself, then as many of them
// together as there is room for.
func (s *State) lacks(r *Request) string {
	for i := range r.Chunks {
		if text := s.lacksFor(r, &r.Chunks[i]); text != "" {
			return text
		}
	}
	for i, need := range r.Total {
		if need > s.total[i] {
			asked, all := s.amountsText(i, need, s.total[i])
			return fmt.Sprintf("it asks for %s %s in all, of %s", asked, s.Consumables[i], all)
		}
	}
	all := r.count()
	n := s.chunksWithin(r, nil, 0, all)
	if all == 1 {
		return "no " + s.unit(r) + " has room for it"
	}
	text := fmt.Sprintf("there is room for %d of its %d chunks%s", n, all, arrangementText[r.arrangement])
	if r.arrangement != free {
		text += " (place=" + arrangementNames[r.arrangement] + ")"
	}
	return text
}

// LacksChunk says why no vnode of the cluster could ever give a chunk of a job of a queue what it asks for of one resource alone, "" where
// one could, and where none takes jobs of the queue whatever they ask for.
func (c *Cluster) LacksChunk(resource, value, queue string) string {
	bare := *c
	bare.checks.Defaults, bare.checks.OfQueues = nil, nil
	s := bare.NewState()
	try := func(selected string) string {
		r, err := bare.Request(selected, "", queue)
		if err != nil || s.Fits(r) {
			return "" // a value that cannot be read is said where it is read
		}
		return s.lacks(r)
	}
	if try("1") != "" {
		return ""
	}
	return try("1:" + resource + "=" + value)
}

// lacksFor says what keeps one chunk from all vnodes, "" where one has room for it.
func (s *State) lacksFor(r *Request, chunk *Chunk) string {
	one := *r
	one.Chunks, one.Total = []Chunk{*chunk}, chunk.Need
	one.Chunks[0].Count = 1
	one.Span()
	if s.Fits(&one) {
		return ""
	}
	if len(chunk.cannot) > 0 {
		return "no vnode has any " + chunk.cannot[0]
	}
	takes := func(words ...word) (vnodes []int32) { // those that let jobs of the queue in and have what is not used up
		of := Chunk{words: words}
		for v := range int32(len(s.Vnodes)) {
			if !s.isClosed(v) && s.matches(&s.Vnodes[v], r, &of) {
				vnodes = append(vnodes, v)
			}
		}
		return vnodes
	}
	open := takes()
	if len(open) == 0 {
		return "no vnode takes jobs of queue " + cmp.Or(r.queue, "that it is submitted to")
	}
	short := func(vnodes []int32, which string) string { // says of what none of them has enough
		for _, i := range chunk.asked {
			if need, most := chunk.Need[i], s.mostOf(r, i, vnodes); need > most {
				asked, has := s.amountsText(i, need, most)
				return fmt.Sprintf("no %s%s has %s %s (most: %s)", s.unit(r), which, asked, s.Consumables[i], has)
			}
		}
		return ""
	}
	if text := short(open, s.forQueue(r)); text != "" {
		return text
	}
	for _, w := range chunk.words {
		if len(takes(w)) == 0 {
			return fmt.Sprintf("no vnode%s has %s=%s", s.forQueue(r), w.name, w.value)
		}
	}
	matching := takes(chunk.words...)
	var words []string
	for _, w := range chunk.words {
		words = append(words, w.name+"="+w.value)
	}
	if len(matching) == 0 {
		return fmt.Sprintf("no vnode%s has %s together", s.forQueue(r), strings.Join(words, ", "))
	}
	if text := short(matching, " with "+strings.Join(words, ", ")); text != "" {
		return text
	}
	for _, i := range chunk.asked {
		words = append(words, s.amountText(i, chunk.Need[i])+" "+s.Consumables[i])
	}
	if limit := s.jobsText(&one); limit != "" {
		return "a limit of vnodes keeps all jobs out (" + limit + ")"
	}
	return fmt.Sprintf("no %s%s has %s together", s.unit(r), s.forQueue(r), strings.Join(words, ", "))
}

// unit returns what has to have a chunk whole: a vnode, or a host where it may be broken over several vnodes of one.
func (s *State) unit(r *Request) string {
	if s.hasLargeHosts() && r.arrangement != vscatter {
		return "host"
	}
	return "vnode"
}

// forQueue says that not all vnodes take jobs of the queue of a request, where that is so.
func (s *State) forQueue(r *Request) string {
	isOther := func(v Vnode) bool { return v.Queue != r.queue && (v.Queue != "" || s.queues[r.queue]) }
	if r.queue != "" && slices.ContainsFunc(s.Vnodes, isOther) {
		return " that takes jobs of queue " + r.queue
	}
	return ""
}

// mostOf returns how much of a consumable that vnode, or host, has which has most of it of some.
func (s *State) mostOf(r *Request, i int, vnodes []int32) (most float64) {
	isOfHosts := s.unit(r) == "host"
	ofHost := map[int32]float64{}
	for _, v := range vnodes {
		x := s.Vnodes[v].Amounts[i]
		if isOfHosts {
			ofHost[s.hostOf[v]] += x
			x = ofHost[s.hostOf[v]]
		}
		most = max(most, x)
	}
	return most
}
