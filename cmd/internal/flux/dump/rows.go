package dump

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// row is a row of a table, by its columns in lower case.
type row map[string]string

// rowsOf returns the rows of a table in each of the forms in which flux account prints one: a list in JSON, a table
// with pipes, CSV, or in columns. odd is how many lines have another number of cells than the header.
func rowsOf(text string) (rows []row, odd int, err error) {
	text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n")
	if strings.HasPrefix(text, "[") {
		rows, err = rowsOfJSON([]byte(text))
		return rows, 0, err
	}
	first, _, _ := strings.Cut(text, "\n")
	if !strings.Contains(first, "|") && strings.Contains(first, ",") {
		return rowsOfCSV(text)
	}
	var header []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "" || strings.Trim(line, "-+") == "":
			continue
		case header == nil:
			header = columnsOf(line)
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) > len(header) {
			odd++
			continue
		}
		r := row{}
		for i, cell := range cells {
			if i == 0 {
				r["indent"] = cell[:len(cell)-len(strings.TrimLeft(cell, " "))]
			}
			r[header[i]] = strings.TrimSpace(cell)
		}
		rows = append(rows, r)
	}
	return rows, odd, nil
}

// rowsOfJSON returns a list of objects as rows. Numbers are as they are written.
func rowsOfJSON(text []byte) ([]row, error) {
	var list []map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("this is no list of flux account: %w", err)
	}
	rows := make([]row, len(list))
	for i, object := range list {
		rows[i] = row{}
		for name, value := range object {
			switch value := value.(type) {
			case nil, map[string]any, []any: // which no table of flux account has
			case string:
				rows[i][strings.ToLower(name)] = strings.TrimSpace(value)
			default:
				rows[i][strings.ToLower(name)] = fmt.Sprint(value)
			}
		}
	}
	return rows, nil
}

func rowsOfCSV(text string) (rows []row, odd int, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	var header []string
	for {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, odd, nil
		case err != nil:
			return nil, odd, err
		case header == nil:
			for _, cell := range cells {
				header = append(header, strings.ToLower(strings.TrimSpace(cell)))
			}
			continue
		case len(cells) != len(header):
			odd++
			continue
		}
		of := row{}
		for i, cell := range cells {
			of[header[i]] = strings.TrimSpace(cell)
		}
		rows = append(rows, of)
	}
}

// rowsOfTree returns the rows of flux account view-bank --tree in columns: bank, then a user or nothing, whether it is
// active, shares, usage, and of a user fairshare.
func rowsOfTree(text string) (rows []row, odd int) {
	const ofBank, ofUser = 4, 6
	for line := range strings.Lines(text) {
		cells := strings.Fields(line)
		r := row{"indent": line[:len(line)-len(strings.TrimLeft(line, " "))]}
		switch {
		case len(cells) == 0 || slices.Contains(cells, "RawShares"):
			continue
		case len(cells) == ofBank:
			r["bank"], r["active"], r["rawshares"], r["rawusage"] = cells[0], cells[1], cells[2], cells[3]
		case len(cells) == ofUser:
			r["bank"], r["username"], r["active"], r["rawshares"], r["rawusage"], r["fairshare"] = cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]
		default:
			odd++
			continue
		}
		rows = append(rows, r)
	}
	return rows, odd
}

// rowsOfInfo returns the rows of flux account bank-info as those of a tree, without what it does not tell.
func rowsOfInfo(text string) (rows []row, odd int) {
	const columns = 7
	bank := ""
	for line := range strings.Lines(text) {
		cells := strings.Fields(line)
		r := row{"indent": line[:len(line)-len(strings.TrimLeft(line, " "))]}
		switch {
		case len(cells) == 0 || cells[0] == "Name" && slices.Contains(cells, "Shares"):
			continue
		case len(cells) != columns:
			odd++
			continue
		case cells[6] == "Bank":
			bank = cells[0]
			r["bank"] = bank
		default:
			r["bank"], r["username"] = bank, cells[0] // its level FS is fairshare with three decimals, which are too few
		}
		r["rawshares"], r["rawusage"] = cells[1], cells[3]
		rows = append(rows, r)
	}
	return rows, odd
}
