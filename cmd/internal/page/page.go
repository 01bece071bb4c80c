// Package page makes self-contained HTML pages: what a change does to the
// order of jobs, fairshare trees, and replays of recorded work. A page loads nothing
// from elsewhere.
package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"math"
	"strconv"
	"strings"
	"sync"
)

// Data is what a page shows: a comparison of orders or replays, and trees.
type Data struct {
	Title   string   `json:"-"`
	Facts   []Figure `json:"-"`       // of which site it is, of when and from what; may be none
	Compare *Compare `json:"compare"` // nil for none
	Replay  *Replay  `json:"replay"`  // likewise
	Trees   []Tree   `json:"trees"`
}

// Compare is a change of the order. Sentences stand in the page itself, and what its pictures and
// tables are made of in its data.
type Compare struct {
	Old      string   `json:"-"`
	New      string   `json:"-"`
	Verdict  string   `json:"-"` // who moves, in one sentence
	From     string   `json:"-"` // where the jobs come from, and of when they are
	Summary  []Figure `json:"-"`
	Parties  []Party  `json:"parties"`
	Jobs     []Job    `json:"jobs"`
	Omitted  int      `json:"omitted"` // jobs that are not in Jobs
	Lists    []List   `json:"lists"`
	Warnings []string `json:"-"` // what may make it another one than is meant
	Remarks  []string `json:"-"` // what else has to be known to read it
}

// Party is a way to tell whose jobs they are, such as by user or by queue.
type Party struct {
	Name   string   `json:"name"`
	Names  []string `json:"names"`
	Shifts []Shift  `json:"shifts"` // none for one that is only shown with a job
}

// List is jobs of which something is to be said. Not all need be in it.
type List struct {
	Label string   `json:"label"`
	Count int      `json:"count"`
	IDs   []string `json:"ids"`
}

// Figure is a number of the summary; ID finds it in the page.
type Figure struct {
	ID, Label, Value string
}

// Shift is the mean change of places of the jobs of one name.
type Shift struct {
	Name int     `json:"g"` // an index into a Party's Names
	Jobs int     `json:"n"`
	Mean float64 `json:"m"`
}

// Job is a job that at least one of the orders considers; a rank of 0 means that
// the order does not consider it.
type Job struct {
	ID                 string
	Old, New           int
	OldValue, NewValue string
	Parties            []int32 // for each Party an index into its Names
}

// MarshalJSON writes a job as a list, which is a third of an object's size.
func (j Job) MarshalJSON() ([]byte, error) {
	list := []any{j.ID, j.Old, j.New, j.OldValue, j.NewValue}
	for _, name := range j.Parties {
		list = append(list, name)
	}
	return json.Marshal(list)
}

// Tree is a fairshare tree, parents before children; the first node is the
// root.
type Tree struct {
	Title  string  `json:"title"`
	Nodes  []Node  `json:"nodes"`
	Colors []Color `json:"colors"`
}

// Node is a node of a tree. Width is its part of all shares.
type Node struct {
	Name   string  `json:"n"`
	Parent int     `json:"p"`
	Width  float64 `json:"w"`
	Text   string  `json:"t"` // what is known of it
}

// Color is a measure by which nodes are coloured: what each has used of its
// target, 1 on target. NaN is none.
type Color struct {
	Name string  `json:"name"`
	Used []Ratio `json:"used"`
}

// Ratio is a number that may be none (NaN).
type Ratio float64

// MarshalJSON implements json.Marshaler.
func (r Ratio) MarshalJSON() ([]byte, error) {
	switch f := float64(r); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 0):
		return []byte("1e9"), nil
	default:
		return json.Marshal(math.Round(f*1e4) / 1e4)
	}
}

// MaxJobs is how many jobs a page has; of more, each entity's figures remain.
const MaxJobs = 200_000

// What a page shows of a tree.
const (
	thinnest = 1. / 2500 // the least part of all shares that a node of its own has
	deepest  = 24        // levels
)

// prune joins nodes that are too thin to see, those of one parent in one node,
// and leaves out what is too deep.
func (t Tree) prune() Tree {
	out := Tree{Title: t.Title, Colors: make([]Color, len(t.Colors))}
	for i, c := range t.Colors {
		out.Colors[i].Name = c.Name
	}
	place := make([]int, len(t.Nodes)) // in out, -1 for those joined
	depth := make([]int, len(t.Nodes))
	rest := map[int]*nodeGroup{} // by place of the parent in out
	var parents []int
	for i, n := range t.Nodes {
		parent := -1
		if i > 0 {
			parent = place[n.Parent]
			depth[i] = depth[n.Parent] + 1
		}
		if depth[i] >= deepest {
			place[i] = -1
			continue
		}
		if i > 0 && (parent < 0 || n.Width < thinnest) {
			place[i] = -1
			if parent >= 0 {
				if rest[parent] == nil {
					rest[parent] = &nodeGroup{used: make([]float64, len(t.Colors)), known: make([]float64, len(t.Colors))}
					parents = append(parents, parent)
				}
				rest[parent].add(t, i)
			}
			continue
		}
		place[i] = len(out.Nodes)
		n.Parent = max(parent, 0)
		out.Nodes = append(out.Nodes, n)
		for k, c := range t.Colors {
			out.Colors[k].Used = append(out.Colors[k].Used, c.Used[i])
		}
	}
	for _, parent := range parents {
		j := rest[parent]
		out.Nodes = append(out.Nodes, Node{Name: j.name(), Parent: parent, Width: j.width})
		for k := range out.Colors {
			used := math.NaN()
			if j.known[k] > 0 {
				used = j.used[k] / j.known[k]
			}
			out.Colors[k].Used = append(out.Colors[k].Used, Ratio(used))
		}
	}
	return out
}

// nodeGroup is nodes of one parent that are shown as one.
type nodeGroup struct {
	count int
	width float64
	used  []float64 // by colour, weighed by width
	known []float64 // the width of those that have a number
}

func (j *nodeGroup) add(t Tree, i int) {
	j.count++
	j.width += t.Nodes[i].Width
	for k, c := range t.Colors {
		if used := float64(c.Used[i]); !math.IsNaN(used) && !math.IsInf(used, 0) {
			j.used[k] += used * t.Nodes[i].Width
			j.known[k] += t.Nodes[i].Width
		}
	}
}

func (j *nodeGroup) name() string { return "… " + strconv.Itoa(j.count) + " more" }

var (
	//go:embed page.html
	htmlText string
	//go:embed page.css
	cssText string
	//go:embed blocks.css
	blocksText string // rules by which each row of a table is a block, for screens that are too narrow for it
	//go:embed page.js compare.js tree.js lines.js replay.js start.js
	scripts embed.FS

	pageTemplate = templateOf("page", htmlText)
)

// templateOf gives the template of a text, which is parsed for the first page.
func templateOf(name, text string) func() *template.Template {
	return sync.OnceValue(func() *template.Template { return template.Must(template.New(name).Funcs(replayFuncs).Parse(text)) })
}

// Style returns the style sheet of pages, for others that look alike.
func Style() string { return cssText }

// Helpers returns the functions in JavaScript that pages draw with, for others that look
// alike. They expect elements main and tip.
func Helpers() string {
	text, err := scripts.ReadFile("page.js")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// script returns what draws a page, in a scope of its own.
func script() string {
	var b strings.Builder
	b.WriteString("'use strict';\n(function () {\n")
	for _, name := range []string{"page.js", "compare.js", "tree.js", "lines.js", "replay.js", "start.js"} {
		text, err := scripts.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		b.Write(text)
	}
	b.WriteString("})();\n")
	return b.String()
}

// Render makes the page.
func Render(d Data) ([]byte, error) {
	trees := make([]Tree, len(d.Trees)) // never null in the page
	for i, t := range d.Trees {
		trees[i] = t.prune()
	}
	d.Trees = trees
	if c := d.Compare; c != nil {
		c.Parties, c.Jobs, c.Lists = append([]Party{}, c.Parties...), append([]Job{}, c.Jobs...), append([]List{}, c.Lists...)
		for i := range c.Parties {
			p := &c.Parties[i]
			p.Names, p.Shifts = append([]string{}, p.Names...), append([]Shift{}, p.Shifts...)
		}
	}
	if d.Replay != nil {
		d.Replay = d.Replay.bounded()
	}
	data, err := json.Marshal(d) // escapes <, > and &
	if err != nil {
		return nil, err
	}
	css, js := cssText, script()
	if d.Replay != nil {
		css, js = uplotStyle+css, uplotScript()+js
	}
	var b bytes.Buffer
	err = pageTemplate().Execute(&b, map[string]any{
		"Title": d.Title, "Facts": d.Facts, "Compare": d.Compare, "Replay": d.Replay, "CSS": template.CSS(css), "JS": template.JS(js), "Data": template.JS(data),
	})
	return b.Bytes(), err
}
