package cli

import (
	"errors"
	"time"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/moment"
)

// momentFlag is a time that a flag names. A time of day or a weekday is the last one until now, where a command does not
// ask for the next one.
type momentFlag struct{ moment.Moment }

// Decode implements kong.MapperValue.
func (m *momentFlag) Decode(ctx *kong.DecodeContext) (err error) {
	if ctx.Scan.Len() == 0 {
		return errors.New("missing value")
	}
	m.Moment, err = moment.Parse(ctx.Scan.Pop().String())
	return err
}

// pastFlag is a momentFlag that may also be told by the time of now, as sacct takes it: now-7days.
type pastFlag struct{ momentFlag }

// Decode implements kong.MapperValue.
func (m *pastFlag) Decode(ctx *kong.DecodeContext) error {
	if at, ok := moment.FromNow(ctx.Scan.Peek().String(), time.Now()); ok {
		ctx.Scan.Pop()
		m.Moment = moment.Of(at)
		return nil
	}
	return m.momentFlag.Decode(ctx)
}

// moment returns the time, nil where the flag is not given.
func (m *pastFlag) moment() *moment.Moment {
	if m == nil {
		return nil
	}
	return &m.Moment
}
