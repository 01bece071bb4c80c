package replay

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

var debugFrom, debugTo = func() (float64, float64) {
	a, _ := strconv.ParseFloat(os.Getenv("DFROM"), 64)
	b, _ := strconv.ParseFloat(os.Getenv("DTO"), 64)
	return a, b
}()

func (e *engine) debug(format string, args ...any) {
	if debugTo > 0 && e.now >= debugFrom && e.now <= debugTo {
		fmt.Printf("      %s "+format+"\n", append([]any{time.Unix(int64(e.now), 0).UTC().Format("15:04:05")}, args...)...)
	}
}
