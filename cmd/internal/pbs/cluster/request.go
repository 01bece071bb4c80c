package cluster

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/formula"
)

// Request is what a job asks of a cluster: chunks, and how they are placed. It never
// changes and may be shared.
type Request struct {
	Chunks []Chunk
	Total  []float64 // of all chunks, by consumable

	arrangement arrangement
	sharing     sharing
	queue       string       // of the job
	was         *formerPlace // of a suspended job, which goes on there

	group         string // resources of which all its vnodes have one value, such as "rack,switch", "" for none
	isGroupOfSite bool   // whether node_group_key says so, and not the job
}

// Chunk is a set of resources of one vnode, several times.
type Chunk struct {
	Count int
	Need  []float64 // by consumable

	words   []word   // other resources that must match
	text    string   // of what is used up, as exec_vnode has it
	cannot  []string // resources that it asks for and no vnode has
	asked   []int    // of Need, in the order in which it was asked for
	follows bool     // whether it is a piece of a broken chunk, the first part of which came before
	owner   *Owner   // whose job asks for it, where vnodes bound how many jobs they take
	joined  bool     // whether what several of it have of a vnode is one part of exec_vnode
}

// String returns the chunk as a select has it, such as 2:ncpus=8:ngpus=4, with what it gets without asking for it.
func (c *Chunk) String() string {
	text := strconv.Itoa(c.Count) + c.text
	for _, w := range c.words {
		text += ":" + w.name + "=" + w.value
	}
	return text
}

type word struct {
	name, value string
	least       bool // whether the vnode needs this amount or more
}

type arrangement byte

const (
	free arrangement = iota
	pack
	scatter
	vscatter
)

type sharing byte

const (
	byVnode sharing = iota // what the vnode's own sharing says
	shared
	excl
	exclhost
)

// maxChunks bounds a request.
const maxChunks = 1 << 20

// Request returns what a job of a queue asks for with select and place, as PBS's
// parse_selspec and parse_placespec read them.
func (c *Cluster) Request(selected, place, queue string) (*Request, error) {
	r := &Request{Total: make([]float64, len(c.Consumables)), queue: queue}
	defaults := c.checks.chunkDefaults(queue)
	for part := range splitOutside(selected, '+') {
		chunk, err := c.chunk(part, defaults)
		if err != nil {
			return nil, fmt.Errorf("select=%s: %w", selected, err)
		}
		for i, need := range chunk.Need {
			r.Total[i] += float64(chunk.Count) * need
		}
		r.Chunks = append(r.Chunks, chunk)
	}
	for part := range strings.SplitSeq(place, ":") {
		group, isGroup := strings.CutPrefix(part, "group=")
		switch {
		case isGroup:
			r.group = group
		case part == "pack":
			r.arrangement = pack
		case part == "scatter":
			r.arrangement = scatter
		case part == "vscatter":
			r.arrangement = vscatter
		case part == "shared":
			r.sharing = shared
		case part == "excl":
			r.sharing = excl
		case part == "exclhost":
			r.sharing = exclhost
		case part != "free" && part != "":
			return nil, fmt.Errorf("place=%s: %q is not a way to place jobs", place, part)
		}
	}
	return r, nil
}

// Join makes what the chunks have of a vnode one part of exec_vnode, as where nobody asked
// for chunks and they only stand for cpus.
func (r *Request) Join() {
	for i := range r.Chunks {
		r.Chunks[i].joined = true
	}
}

// splitOutside yields the parts of a text between separators that are not quoted.
func splitOutside(text string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var quote byte
		begin := 0
		for i := range len(text) {
			switch {
			case quote != 0:
				if text[i] == quote {
					quote = 0
				}
			case text[i] == '"' || text[i] == '\'':
				quote = text[i]
			case text[i] == separator:
				if !yield(text[begin:i]) {
					return
				}
				begin = i + 1
			}
		}
		yield(text[begin:])
	}
}

// chunk reads one kind of chunk. Resources that it does not name are those of defaults.
func (c *Cluster) chunk(text string, defaults map[string]string) (Chunk, error) {
	chunk := Chunk{Count: 1, Need: make([]float64, len(c.Consumables))}
	named := map[string]bool{}
	first := true
	for part := range splitOutside(text, ':') {
		name, value, isResource := strings.Cut(part, "=")
		if !isResource {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || n < 1 || n > maxChunks || !first {
				return chunk, fmt.Errorf("%q is neither a number of chunks nor RESOURCE=AMOUNT", part)
			}
			chunk.Count, first = n, false
			continue
		}
		first = false
		named[name] = true
		if err := c.ask(&chunk, name, value); err != nil {
			return chunk, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if !named[name] {
			if err := c.ask(&chunk, name, defaults[name]); err != nil {
				return chunk, err
			}
		}
	}
	slices.SortFunc(chunk.words, func(a, b word) int { return strings.Compare(a.name, b.name) })
	return chunk, nil
}

// withDefaults returns a select as PBS places by it: with what a queue adds to its chunks.
func (c *Cluster) withDefaults(selected, queue string) string {
	defaults := c.checks.chunkDefaults(queue)
	var chunks []string
	for chunk := range splitOutside(selected, '+') {
		for _, name := range slices.Sorted(maps.Keys(defaults)) {
			if !strings.Contains(":"+chunk, ":"+name+"=") && c.checks.checked(name) {
				chunk += ":" + name + "=" + defaults[name]
			}
		}
		chunks = append(chunks, chunk)
	}
	return strings.Join(chunks, "+")
}

// ask adds a resource to a chunk, if the scheduler looks at it.
func (c *Cluster) ask(chunk *Chunk, name, value string) error {
	value = strings.Trim(value, `"'`)
	at := slices.Index(c.Consumables, name)
	switch {
	case !c.checks.checked(name):
	case c.checks.isConsumed(name) && !isAmount(value):
		return fmt.Errorf("%s=%s is no amount", name, value)
	case at >= 0:
		chunk.Need[at] = amount(value)
		chunk.asked = append(chunk.asked, at)
		chunk.text += c.textAt(at, chunk.Need[at])
	case slices.Contains(c.checks.Infinite, name): // no vnode says how much it has
	case c.checks.isConsumed(name):
		if amount(value) > 0 {
			chunk.cannot = append(chunk.cannot, name)
		}
	default:
		t := c.checks.Types[name]
		chunk.words = append(chunk.words, word{name, value, t == formula.Long || t == formula.Float64 || t == formula.Size})
	}
	return nil
}

// textAt returns an amount of a consumable as exec_vnode has it.
func (c *Cluster) textAt(at int, amount float64) string {
	text := ":" + c.Consumables[at] + "=" + strconv.FormatFloat(amount, 'f', -1, 64)
	if c.checks.isSize(c.Consumables[at]) {
		text += "kb"
	}
	return text
}

// textOf returns amounts as exec_vnode has them, without those that are 0.
func (c *Cluster) textOf(amounts []float64) string {
	text := ""
	for i, x := range amounts {
		if x > 0 {
			text += c.textAt(i, x)
		}
	}
	return text
}

// WholeText returns all that a vnode has, as exec_vnode has it: n01:ncpus=16:mem=65536kb.
func (c *Cluster) WholeText(vnode int32) string {
	v := &c.Vnodes[vnode]
	return v.Name + c.textOf(v.Amounts)
}

// matches reports whether a vnode has the resources of a chunk that are not used up,
// and takes jobs of the queue.
func (c *Cluster) matches(v *Vnode, r *Request, chunk *Chunk) bool {
	if chunk.cannot != nil || v.Queue != r.queue && (v.Queue != "" || c.queues[r.queue]) {
		return false
	}
	for _, w := range chunk.words {
		has, isSet := v.Words[w.name]
		switch {
		case !isSet && slices.Contains(c.checks.Infinite, w.name):
		case w.least:
			if amount(has) < amount(w.value) {
				return false
			}
		case c.checks.Types[w.name] == formula.Boolean:
			if isTrue(has) != isTrue(w.value) {
				return false
			}
		case !isSet || !w.isIn(has):
			return false
		}
	}
	return true
}

func isTrue(text string) bool {
	switch strings.ToLower(text) {
	case "true", "t", "y", "yes", "1":
		return true
	}
	return false
}

// isIn reports whether a list of texts has the one that is asked for. Case counts but in names of hosts, as in
// PBS's compare_non_consumable.
func (w *word) isIn(list string) bool {
	isHost := w.name == "host"
	for have := range strings.SplitSeq(list, ",") {
		if have = strings.TrimSpace(have); have == w.value || isHost && strings.EqualFold(have, w.value) {
			return true
		}
	}
	return false
}

// times returns how many times a need fits into what there is, at most most.
func times(there, need []float64, most int) int {
	n := float64(most)
	for i, amount := range need {
		if amount > 0 {
			n = min(n, math.Floor(there[i]/amount))
		}
	}
	return max(0, int(n))
}
