//go:build unix

package workshop

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// Growth runs work of ever larger sizes, each as a benchmark of its own, and prints how its cost grows: the exponent of
// the size that fits best, by the seconds of all processors that it takes. It also says how many
// bytes stay in use for each unit of size. make makes the work of a size, which takes no time of it, and returns what is measured: that
// returns what is to be kept. FAIRSHARE_SIZE=N multiplies the sizes, which are small by themselves.
func Growth(b *testing.B, sizes []int, make func(b *testing.B, size int) func() (kept any)) {
	b.Helper()
	factor := 1
	if text := os.Getenv("FAIRSHARE_SIZE"); text != "" {
		if _, err := fmt.Sscan(text, &factor); err != nil {
			b.Fatal(err)
		}
	}
	var took []point
	for _, size := range sizes {
		size *= factor
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			before := live()
			run := make(b, size)
			seconds := 0.
			b.ResetTimer()
			for range b.N {
				from := processorTime()
				kept := run()
				seconds += processorTime() - from
				b.StopTimer()
				b.ReportMetric(float64(live()-before)/float64(size), "B-live/unit")
				runtime.KeepAlive(kept)
				b.StartTimer()
			}
			runtime.KeepAlive(run)
			seconds /= float64(b.N)
			b.ReportMetric(seconds, "cpu-s")
			took = append(took, point{math.Log(float64(size)), math.Log(max(seconds, 1e-6))})
			if len(took) > 1 {
				b.ReportMetric(slope(took), "exponent")
			}
		})
	}
}

// point is a size and what it takes, both as logarithms.
type point struct{ x, y float64 }

// slope returns the slope of the line that fits points best.
func slope(points []point) float64 {
	var x, y, xx, xy float64
	for _, p := range points {
		x, y, xx, xy = x+p.x, y+p.y, xx+p.x*p.x, xy+p.x*p.y
	}
	n := float64(len(points))
	return (n*xy - x*y) / (n*xx - x*x)
}

// processorTime returns the seconds that all processors have spent on this process.
func processorTime() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return (time.Duration(use.Utime.Nano()) + time.Duration(use.Stime.Nano())).Seconds()
}

// live returns how many bytes of the heap are in use.
func live() int64 {
	runtime.GC()
	runtime.GC() // what finalizers have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
