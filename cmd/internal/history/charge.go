package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
)

// Charges are the factors by which core hours of queues are charged. Those of other queues are charged as they are.
type Charges map[string]float64

// allQueues stands for the queues that have no factor of their own.
const allQueues = "*"

// ParseCharges reads factors such as gpu=8.
func ParseCharges(list []string) (Charges, error) {
	if len(list) == 0 {
		return nil, nil
	}
	c := Charges{}
	for _, text := range list {
		queue, factor, ok := strings.Cut(text, "=")
		const most = 1e9
		x, err := strconv.ParseFloat(factor, 64)
		switch {
		case !ok || queue == "":
			return nil, fmt.Errorf("%q is not QUEUE=FACTOR", text)
		case err != nil || !(x >= 0 && x <= most):
			return nil, fmt.Errorf("%q is no factor from 0 to %g", factor, most)
		}
		if _, isTwice := c[queue]; isTwice {
			return nil, fmt.Errorf("%s is given twice", queue)
		}
		c[queue] = x
	}
	return c, nil
}

// Of returns the factor of a queue.
func (c Charges) Of(queue string) float64 {
	if x, ok := c[queue]; ok {
		return x
	}
	if x, ok := c[allQueues]; ok {
		return x
	}
	return 1
}

// missing says of which queues with a factor no job is.
func (c Charges) missing(queues map[string]bool) []diag.Remark {
	wanted := slices.DeleteFunc(slices.Sorted(maps.Keys(c)), func(name string) bool { return name == allQueues })
	return diag.NoJobOf("queue", wanted, slices.Sorted(maps.Keys(queues)))
}

// charged returns what is charged of core hours, NaN where nothing is.
func (c Charges) charged(queue string, hours float64) float64 {
	if c == nil {
		return math.NaN()
	}
	return c.Of(queue) * hours
}
