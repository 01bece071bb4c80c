package report

import (
	"math"
	"strings"
)

// Spark draws numbers from 0 to most as bars of eight heights, one character each. What
// is more than 0 can be seen; NaN is a blank.
func Spark(numbers []float64, most float64) string {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	var picture strings.Builder
	for _, x := range numbers {
		level := 0
		if x > 0 && most > 0 {
			level = int(math.Ceil(min(1, x/most) * float64(len(levels)-1)))
		}
		picture.WriteRune(levels[level])
	}
	return picture.String()
}
