package sacct

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// give gives a row to who asks, or one for each task of an array that has not started. An error says why it is left
// out, but for errFound.
func (r *Reader) give(row *Row) error {
	if row.ID = row.text[JobID]; bytes.IndexByte(row.ID, '.') >= 0 {
		if job, _, _ := bytes.Cut(row.ID, []byte(".")); r.Step != nil {
			r.Step(job, row)
		}
		return nil
	}
	if err := r.parse(row); err != nil {
		return err
	}
	row.Printed = row.ID
	open := bytes.IndexByte(row.ID, '[')
	if open < 0 {
		return r.Row(row)
	}
	tasks, why := ArrayTasks(string(row.ID[open:]))
	if why != "" {
		return errors.New(why)
	}
	if r.tasks += len(tasks); r.tasks > r.MostTasks && len(tasks) > 1 {
		return fmt.Errorf("the tasks of arrays that wait are more than %d", r.MostTasks)
	}
	for _, task := range tasks {
		row.ID = strconv.AppendInt(bytes.Clone(row.Printed[:open]), task, 10)
		if err := r.Row(row); err != nil {
			return err
		}
	}
	return nil
}

// ArrayTasks returns the tasks of an array that [5-20%5], [1,3,7-9:2] or [0xFFE0] names, or why it names none.
func ArrayTasks(text string) (tasks []int64, why string) {
	const most = 4_000_001 // the largest MaxArraySize
	s, _, _ := strings.Cut(strings.Trim(text, "[]"), "%")
	if mask, isMask := strings.CutPrefix(s, "0x"); isMask { // in JSON: a bit for each task
		bits, ok := new(big.Int).SetString(mask, 16)
		if !ok || len(mask) > most/4 {
			return nil, fmt.Sprintf("%q are no tasks of an array", text)
		}
		for n := range bits.BitLen() {
			if bits.Bit(n) == 1 {
				tasks = append(tasks, int64(n))
			}
		}
		return tasks, ""
	}
	for part := range strings.SplitSeq(s, ",") {
		span, step, hasStep := strings.Cut(part, ":")
		low, high, isSpan := strings.Cut(span, "-")
		if !isSpan {
			high = low
		}
		by := int64(1)
		from, err1 := strconv.ParseInt(low, 10, 32)
		to, err2 := strconv.ParseInt(high, 10, 32)
		if hasStep {
			by, _ = strconv.ParseInt(step, 10, 32)
		}
		if err1 != nil || err2 != nil || by < 1 || to < from || (to-from)/by+int64(len(tasks)) >= most {
			return nil, fmt.Sprintf("%q are no tasks of an array", text) // also what a table has cut: [1-5,...]
		}
		for n := from; n <= to; n += by {
			tasks = append(tasks, n)
		}
	}
	return tasks, ""
}
