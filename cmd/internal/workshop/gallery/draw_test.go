package gallery

import (
	"fmt"
	"math"
	"strings"
)

func exp2(x float64) float64 { return math.Exp2(x) }

// points are those of a curve.
const points = 57

// curve returns the values along an axis.
func curve(value func(job) float64, a axis) []float64 {
	list := make([]float64, points)
	for i := range list {
		list[i] = value(a.at(float64(i) / (points - 1)))
	}
	return list
}

// course says what a curve does from its begin to its end. Values are C floats.
func course(list []float64) string {
	rises, falls := false, false
	for i := 1; i < len(list); i++ {
		rises, falls = rises || list[i] > list[i-1], falls || list[i] < list[i-1]
	}
	switch {
	case rises && falls:
		return "is either"
	case rises:
		return "rises"
	case falls:
		return "falls"
	}
	return "stays"
}

// draw returns a picture of curves beside each other, with one scale of values.
func draw(curves [3][]float64) string {
	const width, height, left, top, gap = 170., 90., 60., 22., 24.
	low, high := math.Inf(1), math.Inf(-1)
	for _, list := range curves {
		for _, x := range list {
			low, high = min(low, x), max(high, x)
		}
	}
	if low > 0 && low < high/2 {
		low = 0
	}
	if low == high {
		low, high = low-1, high+1
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="sans-serif" font-size="11" fill="#777">`+"\n",
		left+3*width+3*gap, top+height+26, left+3*width+3*gap, top+height+26)
	for i, x := range []float64{high, low} {
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="end">%s</text>`+"\n", left-6, top+8+float64(i)*(height-4), number(x))
	}
	for k, list := range curves {
		x0 := left + float64(k)*(width+gap)
		fmt.Fprintf(&b, `<rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="none" stroke="#999"/>`+"\n", x0, top, width, height)
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", x0+width/2, top-8, axes[k].title)
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f">%s</text><text x="%.0f" y="%.0f" text-anchor="end">%s</text>`+"\n", x0, top+height+15, axes[k].from, x0+width, top+height+15, axes[k].to)
		b.WriteString(`<polyline fill="none" stroke="#2a7" stroke-width="2" points="`)
		for i, y := range list {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%.1f,%.1f", x0+width*float64(i)/(points-1), top+height*(1-(y-low)/(high-low)))
		}
		b.WriteString(`"/>` + "\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// number returns a value in few letters.
func number(x float64) string {
	const large = 1e6
	if math.Abs(x) >= large {
		return fmt.Sprintf("%.2g", x)
	}
	return fmt.Sprintf("%.4g", x)
}
