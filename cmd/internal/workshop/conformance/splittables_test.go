package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// splitTable returns a table of sacct as several with JobID and Start, and each of the other columns in one of them or in more, whose
// rows are in another order. The last may be in columns of a width.
func splitTable(random *rand.Rand, text string, parts int, isFixed bool) []string {
	var rows [][]string
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Split(strings.TrimRight(line, "\r\n"), "|"))
	}
	columns := make([][]int, parts)
	for at, name := range rows[0] {
		isOfAll, of := slices.Contains([]string{"JobID", "Start"}, name), random.IntN(parts)
		for part := range columns {
			if isOfAll || part == of || random.IntN(4) == 0 {
				columns[part] = append(columns[part], at)
			}
		}
	}
	tables := make([]string, parts)
	for part := range tables {
		random.Shuffle(len(columns[part]), func(i, j int) {
			columns[part][i], columns[part][j] = columns[part][j], columns[part][i]
		})
		width := make([]int, len(rows[0]))
		for _, row := range rows {
			for at, cell := range row {
				width[at] = max(width[at], len(cell), 1)
			}
		}
		line := func(row []string) string {
			var cells []string
			for _, at := range columns[part] {
				cell := row[at]
				if isFixed && part == parts-1 {
					cell = fmt.Sprintf("%*s", width[at], cell)
				}
				cells = append(cells, cell)
			}
			if isFixed && part == parts-1 {
				return strings.Join(cells, " ") + " \n"
			}
			return strings.Join(cells, "|") + "\n"
		}
		var b strings.Builder
		b.WriteString(line(rows[0]))
		if isFixed && part == parts-1 {
			for _, at := range columns[part] {
				b.WriteString(strings.Repeat("-", width[at]) + " ")
			}
			b.WriteString("\n")
		}
		for _, at := range random.Perm(len(rows) - 1) {
			b.WriteString(line(rows[at+1]))
		}
		tables[part] = b.String()
	}
	return tables
}

// withoutDoubt returns a table of sacct without the rows in which a pipe stands in a name.
func withoutDoubt(text string) string {
	header, _, _ := strings.Cut(text, "\n")
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Count(line, "|") == strings.Count(header, "|") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// However the columns of a table of sacct are parted among several, in whatever order of files and rows: the jobs, and what is told of them, are the same.
func TestSplitTables(t *testing.T) {
	list, by := records(t)
	list = slices.DeleteFunc(list, func(p place) bool { return !p.isSlurm })
	hold(t, list, 7, func(t testing.TB, p place, d *differences) {
		text := withoutDoubt(by[p.name].text)
		whole := write(t, "splittables/"+p.name, map[string]string{"all.txt": text})
		random := rand.New(rand.NewPCG(7, uint64(len(text))))
		rounds := 3
		if workshop.TestsAll() {
			rounds = 6
		}
		asks := []string{"--by user,day -o csv", "-o csv", "", "--by account"}
		want := map[string]string{}
		for _, args := range asks {
			want[args] = answered(t, slices.Concat(words("history --tz UTC"), words(args), []string{whole + "/all.txt"})...)
		}
		for round := range rounds {
			files := map[string]string{}
			var names []string
			for i, table := range splitTable(random, text, 2+round%3, round%2 == 1) {
				name := fmt.Sprintf("%d-%d.txt", round, i)
				files[name] = table
				names = append(names, whole+"/"+name)
			}
			write(t, "splittables/"+p.name, files)
			random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			for _, args := range asks {
				a := ask(slices.Concat(words("history --tz UTC"), words(args), names)...)
				if !a.isGiven() || strings.Contains(a.said, "contradict") || !strings.Contains(a.said, "is joined from all of them") {
					d.add("exit %d of history %s %v: %s", a.code, args, names, a.said)
				}
				compareText(d, fmt.Sprint("history ", args, names), answer{out: want[args]}, a)
			}
		}
	})
}
