package accounts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/fstree"
)

// parseSshare reads the table of sshare -a -l -P. Accounts are indented by
// their depth, users stand in the line after their account's. Only account,
// user, raw shares and raw usage are believed: the rest is what an algorithm
// made of them. Of sshare -U, which prints users alone, it adds lines without a number for their accounts.
//
// It reads what sshare --json prints as well, and a table in columns of a width, as sshare -a -l prints it, where no name
// is cut off.
func parseSshare(text string) (*listed, error) {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		lines, err := parseShares(text)
		return listOf(lines), err
	}
	var columns sshareColumns
	var widths columnWidths
	most := strings.Count(text, "\n") + 1
	list := &listed{nodes: make([]fstree.Association, 0, most), notes: make([]note, 0, most)}
	var path []int32 // the accounts from the root to the last one
	number := 0
	var cells []string
	for row := range strings.Lines(text) {
		number++
		row = strings.TrimRight(row, "\r\n")
		fail := func(format string, args ...any) error {
			return &file.Problem{Line: number, Message: fmt.Sprintf(format, args...)}
		}
		if strings.TrimSpace(row) == "" {
			continue
		}
		cells = split(cells[:0], row)
		isRow, isCut := true, false
		if cells, isRow, isCut = widths.take(row, cells, &columns); isCut {
			return nil, fail("a name is cut off by the width of its column: sshare -a -l -P cuts none")
		} else if !isRow {
			continue
		}
		if columns.width == 0 {
			if err := columns.find(cells); err != nil {
				return nil, fail("%v", err)
			}
			continue
		}
		if len(cells) < columns.width {
			return nil, fail("%d columns, %d are needed", len(cells), columns.width)
		}
		account := strings.TrimLeft(cells[columns.account], " ")
		depth := len(cells[columns.account]) - len(account)
		user := strings.TrimSpace(cells[columns.user])
		x := fstree.Association{Parent: -1, Name: account, User: user != ""}
		if x.User {
			x.Name = user
			if columns.partition > 0 && columns.partition < len(cells) { // of sshare -m
				x.Partition = strings.TrimSpace(cells[columns.partition])
			}
		}
		if x.Name == "" {
			return nil, fail("neither an account nor a user is named")
		}
		if x.User && (len(list.nodes) == 0 || list.notes[0].number == 0) {
			path = append(path[:0], int32(len(list.nodes)))
			list.nodes, list.notes = append(list.nodes, fstree.Association{Parent: -1, Name: account}), append(list.notes, unknown)
			depth = 1
		}
		if depth > len(path) || depth == 0 && len(list.nodes) > 0 {
			return nil, fail("the indent of %q fits no account above", account)
		}
		if depth > 0 {
			x.Parent = path[depth-1]
		}
		if x.User && depth > 0 && list.nodes[x.Parent].Name != account {
			return nil, fail("user %q of account %q stands under account %q", user, account, list.nodes[x.Parent].Name)
		}
		var err error
		switch shares := strings.TrimSpace(cells[columns.shares]); {
		case shares == "parent":
			x.FromParent = true
		case shares == "" && depth == 0: // the root's
		default:
			if x.Shares, err = amount(shares, "RawShares", fail); err != nil {
				return nil, err
			}
		}
		if x.Usage, err = amount(strings.TrimSpace(cells[columns.usage]), "RawUsage", fail); err != nil {
			return nil, err
		}
		if !x.User {
			path = append(path[:depth], int32(len(list.nodes)))
		}
		of := note{number: int32(number), norm: partOf(cells, columns.norm), due: float32(partOf(cells, columns.due)), used: partOf(cells, columns.used), factor: partOf(cells, columns.factor)}
		list.nodes, list.notes = append(list.nodes, x), append(list.notes, of)
		if x.User && of.factor == of.factor {
			list.factors++
		}
		list.isOdd = list.isOdd || widths != nil || columns.isOdd(row, cells, of) || x.Shares > math.MaxUint32 || strings.TrimSpace(account) != account
	}
	if len(list.nodes) == 0 {
		return nil, &file.Problem{Line: number, Message: "the table has no association"}
	}
	return list, nil
}

// split adds the cells of a row to some, as strings.SplitN(row, "|", maxColumns) has them.
func split(cells []string, row string) []string {
	for len(cells) < maxColumns-1 {
		end := strings.IndexByte(row, '|')
		if end < 0 {
			break
		}
		cells, row = append(cells, row[:end]), row[end+1:]
	}
	return append(cells, row)
}

// isRule matches the line below the header of a table in columns of a width, and isDash what stands below each column.
var (
	isRule = pattern.Of(`^-+( +-+)+ *$`)
	isDash = pattern.Of(`-+`)
)

// columnWidths are where the columns of such a table begin and end.
type columnWidths [][]int

// take returns the cells of a line, of which those that pipes part are given, and whether it is a row and not what stands
// below the header. isCut is whether a name is cut off.
func (w *columnWidths) take(line string, piped []string, columns *sshareColumns) (cells []string, isRow, isCut bool) {
	switch isHeader := columns.width == 0; {
	case isHeader && len(piped) == 1:
		return strings.Fields(line), true, false
	case !isHeader && *w == nil && strings.HasPrefix(line, "--") && isRule().MatchString(line):
		*w = isDash().FindAllStringIndex(line, maxColumns)
		return nil, false, false
	case *w != nil:
		cells = w.cells(line)
		return cells, true, slices.ContainsFunc(cells[:min(len(cells), columns.user+1)], func(cell string) bool { return strings.HasSuffix(cell, "+") })
	}
	return piped, true, false
}

// cells parts a row of the table.
func (w columnWidths) cells(row string) (cells []string) {
	for _, at := range w {
		cells = append(cells, strings.TrimRight(row[min(len(row), at[0]):min(len(row), at[1])], " "))
	}
	return cells
}

// maxColumns is more than sshare prints.
const maxColumns = 64

// sshareColumns is where a table has what is needed.
type sshareColumns struct {
	account, user, shares, usage, width int

	partition, norm, due, used, factor int // 0 for none

	pipes int // that part all columns
}

// isOdd reports whether a row has more or fewer cells than the header, or something else than a part of 1 where those stand that who
// takes numbers from rows alone takes.
func (c *sshareColumns) isOdd(row string, cells []string, of note) bool {
	n := len(cells) - 1
	if n == maxColumns-1 {
		n = strings.Count(row, "|")
	}
	if n != c.pipes && !(n == c.pipes+1 && strings.HasSuffix(row, "|")) {
		return true
	}
	isNone := func(part float64, column int) bool {
		return part != part && column > 0 && strings.TrimSpace(cells[column]) != ""
	}
	return isNone(of.factor, c.factor) || isNone(of.used, c.used)
}

func (c *sshareColumns) find(header []string) error {
	for _, column := range []struct {
		name string
		at   *int
	}{{"Account", &c.account}, {"User", &c.user}, {"RawShares", &c.shares}, {"RawUsage", &c.usage}} {
		*column.at = slices.IndexFunc(header, func(cell string) bool { return strings.TrimSpace(cell) == column.name })
		if *column.at < 0 {
			return fmt.Errorf("no column %s: the table of sshare -a -l -P begins with Account|User|RawShares", column.name)
		}
		c.width = max(c.width, *column.at+1)
	}
	optional := func(name string) int {
		return max(0, slices.IndexFunc(header, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) }))
	}
	c.partition, c.norm, c.due, c.used = optional("Partition"), optional("NormUsage"), optional("NormShares"), optional("EffectvUsage")
	c.factor, c.pipes = optional("FairShare"), len(header)-1
	return nil
}
