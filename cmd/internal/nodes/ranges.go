package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ranges writes names in short, with those that differ by one number alone in brackets: n[01-04,07],login.
func Ranges(names []string) string {
	type series struct {
		before, after string
		width         int // of numbers with zeros before them, 0 for those without
		numbers       []int
	}
	var all []*series
	for _, name := range names {
		before, digits, after := cutNumber(name)
		number, err := strconv.Atoi(digits)
		if err != nil {
			all = append(all, &series{before: name})
			continue
		}
		width := len(digits)
		at := slices.IndexFunc(all, func(s *series) bool {
			return s.numbers != nil && s.before == before && s.after == after && (s.width == width || s.width == 0 && digits[0] != '0')
		})
		if at < 0 {
			if digits[0] != '0' {
				width = widthOf(names, before, after, width)
			}
			at, all = len(all), append(all, &series{before: before, after: after, width: width})
		}
		all[at].numbers = append(all[at].numbers, number)
	}
	var list []string
	for _, s := range all {
		slices.Sort(s.numbers)
		s.numbers = slices.Compact(s.numbers)
		var parts []string
		for first := 0; first < len(s.numbers); {
			last := first
			for last+1 < len(s.numbers) && s.numbers[last+1] == s.numbers[last]+1 {
				last++
			}
			part := fmt.Sprintf("%0*d", s.width, s.numbers[first])
			if last > first {
				part += fmt.Sprintf("-%0*d", s.width, s.numbers[last])
			}
			parts, first = append(parts, part), last+1
		}
		text := strings.Join(parts, ",")
		if len(s.numbers) > 1 {
			text = "[" + text + "]"
		}
		list = append(list, s.before+text+s.after)
	}
	return strings.Join(list, ",")
}

// widthOf returns the width of the numbers of names that are alike but for them: that of the widest where one has zeros before it, 0
// where none has.
func widthOf(names []string, before, after string, width int) int {
	for _, name := range names {
		if b, digits, a := cutNumber(name); b == before && a == after && len(digits) == width && digits[0] == '0' {
			return width
		}
	}
	return 0
}

// cutNumber cuts a name around its last number, "" where it has none.
func cutNumber(name string) (before, digits, after string) {
	isDigit := func(c rune) bool { return '0' <= c && c <= '9' }
	end := strings.LastIndexFunc(name, isDigit) + 1
	begin := strings.LastIndexFunc(name[:end], func(c rune) bool { return !isDigit(c) }) + 1
	return name[:begin], name[begin:end], name[end:]
}

// fold makes one node of those that are alike but for their names, what is free of them and who runs there, in the order of the first.
func fold(list []Node) (folded []Node) {
	at := map[string]int{}
	for _, n := range list {
		key := n.kind()
		i, isThere := at[key]
		if !isThere {
			i = len(folded)
			at[key] = i
			folded = append(folded, Node{State: n.State, IsUp: n.IsUp, Queues: n.Queues, IsOfAll: n.IsOfAll, Properties: n.Properties, Comment: n.Comment, Bars: n.Bars, Doubt: n.Doubt})
		}
		folded[i].add(n)
	}
	for i := range folded {
		folded[i].Name = Ranges(folded[i].names)
	}
	return folded
}

// kind returns what nodes have in common that are folded into one.
func (n *Node) kind() string {
	var why []string
	for _, b := range n.Bars {
		why = append(why, b.What)
	}
	for _, k := range n.Kinds {
		why = append(why, fmt.Sprint(k.Part, k.Fits > 0))
	}
	return fmt.Sprintln(n.CPUs.All, n.Memory.All, n.GPUs.All, n.State, n.IsUp, n.Queues, n.IsOfAll, n.Properties, n.Comment, n.Fits > 0, why)
}

// add adds a node to those that are folded into this one. What keeps it from a job is said with its amounts where all have the same.
func (f *Node) add(n Node) {
	f.names = append(f.names, n.Name)
	for _, sum := range [...]struct{ of, a *Amount }{{&f.CPUs, &n.CPUs}, {&f.Memory, &n.Memory}, {&f.GPUs, &n.GPUs}} {
		sum.of.Free += sum.a.Free
		sum.of.All += sum.a.All
		sum.of.Idle += sum.a.Idle
	}
	for _, j := range n.Jobs {
		if at := slices.IndexFunc(f.Jobs, func(of Job) bool { return of.ID == j.ID }); at >= 0 {
			f.Jobs[at].CPUs += j.CPUs
		} else {
			f.Jobs = append(f.Jobs, j)
		}
	}
	f.Fits += n.Fits
	f.Bars = alike(f.Bars, n.Bars)
	f.Doubt = cmp.Or(f.Doubt, n.Doubt)
	for i, k := range n.Kinds {
		if i == len(f.Kinds) {
			f.Kinds = append(f.Kinds, Kind{Part: k.Part, Bars: k.Bars})
		}
		f.Kinds[i].Fits += k.Fits
		f.Kinds[i].Bars = alike(f.Kinds[i].Bars, k.Bars)
	}
}

// alike returns what keeps two nodes from the same, with the amounts where both have these.
func alike(a, b []Bar) (list []Bar) {
	for i := range a {
		bar := a[i]
		if i < len(b) && b[i] != bar {
			bar.Has = inCommon(bar.Has, b[i].Has)
		}
		list = append(list, bar)
	}
	return list
}

// inCommon returns what two texts begin with that have the same before a comma, such as "4 asked"; "" for nothing.
func inCommon(a, b string) string {
	before, _, _ := strings.Cut(a, ", ")
	if other, _, _ := strings.Cut(b, ", "); other == before {
		return before
	}
	return ""
}
