package dump

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
)

// StoredPriority is the priority of a job in a partition as Slurm has it, from sprio. A term that its
// table has no column for is missing from Terms.
type StoredPriority struct {
	ID, Partition, User string
	Account, QOS        string             // "" where nothing tells it
	Priority            float64            // NaN where the table has parts of 1 alone, as sprio -n prints it
	Terms               map[string]float64 // by their names in lower case: age, fairshare, jobsize, …
	Age                 float64            // the factor, as a part of 1; NaN where the table has it not
	TRES                map[string]float64
	IsTRESCut           bool // whether the table was too narrow for the TRES
	isNarrow            bool // whether the table has a width, which cuts names off
}

// narrowTRES is how many letters of the TRES a table without -o shows.
const narrowTRES = 20

// terms are the columns of sprio that are added up.
var terms = []string{"site", "age", "assoc", "fairshare", "jobsize", "qos", "nice", "partition"}

// otherColumns are the columns of sprio that are no terms. admin is what site was called before 20.02.
var otherColumns = []string{"jobid", "partition", "user", "account", "qosname", "cluster", "priority", "tres", "admin"}

// ClusterLine stands above each table that sprio -M, squeue -M and the like print.
var ClusterLine = pattern.Of("^" + clusterLine)

const clusterLine = `CLUSTER: \S+\s*\n`

// errClusters is about a table of several clusters, whose jobs have the same numbers.
var errClusters = errors.New("it is of several clusters: give the table of one")

// parsePriorities reads what sprio prints, in columns of any width or parted by pipes, with -n as well. unknown are
// columns of which nobody knows whether they are added up.
func parsePriorities(text string) (list []StoredPriority, unknown []string, err error) {
	var header []string
	var rows [][]string
	var numbers []int
	isPiped := false
	number := 0
	for line := range strings.Lines(text) {
		if number++; ClusterLine().MatchString(line) {
			if header != nil {
				return nil, nil, &file.Problem{Line: number, Message: errClusters.Error()}
			}
			continue
		}
		line = strings.TrimRight(line, "\r\n ")
		if strings.TrimSpace(line) == "" || header == nil && preamble().MatchString(line+"\n") {
			continue
		}
		if header == nil {
			isPiped = strings.Contains(line, "|")
			if header = ColumnsOf(line); len(header) > maxColumns {
				return nil, nil, &file.Problem{Line: number, Message: fmt.Sprintf("more than %d columns", maxColumns)}
			}
			for _, name := range header {
				if !slices.Contains(terms, name) && !slices.Contains(otherColumns, name) {
					unknown = append(unknown, strings.ToUpper(name))
				}
			}
			continue
		}
		cells := strings.Fields(line)
		if isPiped {
			cells = strings.Split(line, "|")
		}
		if IsWeights(cells) {
			continue
		}
		least := len(header)
		if header[least-1] == "tres" && !isPiped { // which may be empty
			least--
		}
		if len(cells) < least || len(cells) > len(header) {
			return nil, nil, &file.Problem{Line: number, Message: fmt.Sprintf("%d columns, the header has %d", len(cells), len(header))}
		}
		rows = append(rows, cells)
		numbers = append(numbers, number)
	}
	places, err := findPriorities(header, rows)
	if err != nil {
		return nil, nil, &file.Problem{Line: 1, Message: err.Error()}
	}
	for i, cells := range rows {
		if len(cells) <= max(places.id, places.partition, places.user, places.priority, places.cluster) {
			return nil, nil, &file.Problem{Line: numbers[i], Message: fmt.Sprintf("%d columns, the header has %d", len(cells), len(header))}
		}
		s, err := places.stored(cells, isPiped)
		if err != nil {
			return nil, nil, &file.Problem{Line: numbers[i], Message: err.Error()}
		}
		if places.cluster >= 0 && cells[places.cluster] != rows[0][places.cluster] {
			return nil, nil, &file.Problem{Line: numbers[i], Message: errClusters.Error()}
		}
		list = append(list, s)
	}
	return list, unknown, nil
}

// IsWeights reports whether a row has the weights, as sprio -w prints them.
func IsWeights(cells []string) bool {
	return slices.ContainsFunc(cells[:min(2, len(cells))], func(cell string) bool { return strings.TrimSpace(cell) == "Weights" })
}

// maxColumns is more than a table of Slurm has.
const maxColumns = 1000

// priorityPlaces are where a table of sprio has its columns, -1 for none.
type priorityPlaces struct {
	id, partition, user, account, qos, priority, tres, cluster int
	terms                                                      map[string]int
	age                                                        int // as a part of 1
}

// findPriorities finds the columns. Each term may be there twice, weighted and as a part of 1,
// which has decimals; the first column PARTITION is the partition's name.
func findPriorities(header []string, rows [][]string) (priorityPlaces, error) {
	isPart := func(column int) bool {
		return slices.ContainsFunc(rows, func(cells []string) bool { return column < len(cells) && strings.Contains(cells[column], ".") })
	}
	find := func(name string, from int) int {
		for i := from; i < len(header); i++ {
			if header[i] == name && !isPart(i) {
				return i
			}
		}
		return -1
	}
	p := priorityPlaces{id: slices.Index(header, "jobid"), partition: slices.Index(header, "partition"), user: slices.Index(header, "user"), account: slices.Index(header, "account"), qos: slices.Index(header, "qosname"), priority: find("priority", 0), tres: find("tres", 0), cluster: slices.Index(header, "cluster"), terms: map[string]int{}, age: -1}
	for i, name := range header {
		if name == "age" && isPart(i) {
			p.age = i
		}
	}
	for _, name := range terms {
		from := 0
		if name == "partition" {
			from = p.partition + 1
		}
		if at := find(name, from); at >= 0 {
			p.terms[name] = at
		}
	}
	if at := find("admin", 0); at >= 0 && p.terms["site"] == 0 {
		p.terms["site"] = at
	}
	isTerm := func(cells []string) bool { // as what a partition adds is, where the column with its name lacks
		return p.partition < len(cells) && !math.IsNaN(Number(strings.TrimSpace(cells[p.partition]), math.NaN()))
	}
	switch {
	case p.id < 0 || p.partition < 0 || len(rows) > 0 && p.terms["partition"] == 0 && !slices.ContainsFunc(rows, func(cells []string) bool { return !isTerm(cells) }):
		return p, fmt.Errorf("the table of sprio has no column JOBID or PARTITION")
	case p.priority < 0 && !slices.Contains(header, "priority"):
		return p, fmt.Errorf("the table of sprio has no column PRIORITY")
	}
	return p, nil
}

func (p priorityPlaces) stored(cells []string, isPiped bool) (StoredPriority, error) {
	s := StoredPriority{ID: strings.TrimSpace(cells[p.id]), Partition: strings.TrimSpace(cells[p.partition]), Terms: map[string]float64{}, Age: math.NaN(), isNarrow: !isPiped}
	if p.age >= 0 && p.age < len(cells) {
		if s.Age = Number(strings.TrimSpace(cells[p.age]), math.NaN()); !(s.Age <= 1) {
			return s, fmt.Errorf("age %q of job %s is no part of 1", cells[p.age], s.ID)
		}
	}
	if p.user >= 0 {
		s.User = strings.TrimSpace(cells[p.user])
	}
	if p.account >= 0 && p.account < len(cells) {
		s.Account = strings.TrimSpace(cells[p.account])
	}
	if p.qos >= 0 && p.qos < len(cells) {
		s.QOS = strings.TrimSpace(cells[p.qos])
	}
	var err error
	if s.Priority = math.NaN(); p.priority >= 0 {
		if s.Priority, err = termOf(cells[p.priority], 0); err != nil || s.ID == "" {
			return s, fmt.Errorf("%q is no priority of job %q", cells[p.priority], s.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.terms)) {
		if at := p.terms[name]; at < len(cells) {
			least := 0.
			if name == "nice" || name == "site" {
				least = -largestTerm
			}
			if s.Terms[name], err = termOf(cells[at], least); err != nil {
				return s, fmt.Errorf("%s %q of job %s is no number that sprio prints", name, cells[at], s.ID)
			}
		}
	}
	if p.tres >= 0 && p.tres < len(cells) {
		text := strings.TrimSpace(cells[p.tres])
		s.IsTRESCut = !isPiped && len(text) >= narrowTRES
		s.TRES = map[string]float64{}
		for part := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(part, "=")
			if s.IsTRESCut && strings.HasSuffix(text, part) || value == "" {
				continue
			}
			if s.TRES[strings.ToLower(name)], err = termOf(value, 0); err != nil {
				return s, fmt.Errorf("TRES %q of job %s is no number that sprio prints", part, s.ID)
			}
		}
	}
	return s, nil
}

// largestTerm is the most that slurmctld makes a priority.
const largestTerm = math.MaxUint32

// termOf returns a number from one to the largest.
func termOf(text string, least float64) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && !(x >= least && x <= largestTerm) {
		err = strconv.ErrRange
	}
	return x, err
}

// completeness is by how much a table of sprio says more than others.
func completeness(list []StoredPriority) int {
	if len(list) == 0 {
		return 0
	}
	n := len(list[0].Terms) + 1
	if list[0].TRES != nil {
		n += 2
	}
	if list[0].User != "" {
		n++
	}
	if slices.ContainsFunc(list, func(s StoredPriority) bool { return s.IsTRESCut }) {
		n--
	}
	const most = 100 // that a row can say
	return len(list)*most + n
}

// IsEmpty reports whether all terms of a row of sprio are 0.
func (s *StoredPriority) IsEmpty() bool {
	for _, terms := range []map[string]float64{s.Terms, s.TRES} {
		for _, x := range terms {
			if x != 0 {
				return false
			}
		}
	}
	return true
}

// Sum adds up the terms of a row of sprio. isWhole is false where some are missing.
func (s *StoredPriority) Sum() (sum float64, isWhole bool) {
	var memory [16]string // of the names, as a list has many rows
	for _, name := range sortedNames(memory[:0], s.Terms) {
		if name == "nice" {
			sum -= s.Terms[name]
			continue
		}
		sum += s.Terms[name]
	}
	for _, name := range sortedNames(memory[:0], s.TRES) {
		sum += s.TRES[name]
	}
	return sum, len(s.Terms) == len(terms) && s.TRES != nil && !s.IsTRESCut
}

// sortedNames adds the names of terms to a list, and sorts it.
func sortedNames(list []string, terms map[string]float64) []string {
	for name := range terms {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// PrintedWeights returns the weights of terms as sprio -w prints them, by the names of StoredPriority.Terms; nil where nothing prints them.
func (d *Dump) PrintedWeights() map[string]float64 {
	for _, p := range d.All(KindPriorities) {
		var names []string // of the columns behind PRIORITY
		for line := range strings.Lines(p.Text) {
			cells := strings.Fields(strings.ReplaceAll(line, "|", " "))
			switch {
			case names == nil:
				columns := ColumnsOf(strings.TrimRight(line, "\r\n "))
				names = columns[slices.Index(columns, "priority")+1:]
			case IsWeights(cells):
				weights := map[string]float64{}
				for i, cell := range cells[slices.Index(cells, "Weights")+1:] {
					if weight, err := strconv.ParseFloat(cell, 64); err == nil && i < len(names) {
						weights[names[i]] = weight
					}
				}
				return weights
			}
		}
	}
	return nil
}
