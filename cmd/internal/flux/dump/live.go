package dump

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"fairshare/cmd/internal/command"
	"fairshare/cmd/internal/diag"
)

// commands are what a site is asked, by the file that keeps the answer. Anybody may ask each of them.
var commands = []struct {
	name  string
	words []string
}{
	{"jobs.json", []string{"flux", "jobs", "-a", "-A", "-c", "0", "--json"}},
	{"users.json", []string{"flux", "account", "list-users", "--json"}},
	{"banks.json", []string{"flux", "account", "list-banks", "--json"}},
	{"queues.json", []string{"flux", "account", "list-queues", "--json"}},
	{"factors.json", []string{"flux", "account", "list-factors", "--json"}},
	{"configs.txt", []string{"flux", "account", "list-configs"}},
	{"modules.txt", []string{"flux", "module", "list"}},
}

// ErrNoFlux says that there is no live site to ask.
var ErrNoFlux = errors.New("there is no flux on this host")

// Runner runs a command, and returns what it printed.
type Runner func(ctx context.Context, words []string) ([]byte, error)

// Here runs commands of this host, each within a time limit. ok is false where flux is not there.
func Here(limit time.Duration) (run Runner, ok bool) {
	at := command.Place("flux")
	if at == "" {
		return nil, false
	}
	return func(ctx context.Context, words []string) ([]byte, error) {
		return command.Run(ctx, at, words, append(os.Environ(), "LC_ALL=C.UTF-8"), limit)
	}, true
}

// Ask asks a live site. A command that fails is among the remarks; without jobs it is an error.
func Ask(ctx context.Context, run Runner, now func() time.Time) (*Dump, error) {
	d := &Dump{Name: "the flux site of this host", Asked: now()}
	for _, c := range commands {
		text, err := run(ctx, c.words)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && c.name == "jobs.json":
			return nil, err
		case err != nil:
			d.Remarks = append(d.Remarks, diag.Damagef("%v", err))
		case KindOf(string(text)) == KindUnknown && strings.TrimSpace(string(text)) != "[]":
			d.Remarks = append(d.Remarks, diag.Damagef("%s", fmt.Sprintf("%s printed what it does not print of a site of flux: it is kept, and nothing is read from it", strings.Join(c.words, " "))))
			fallthrough
		default:
			d.Set(c.name, string(text))
		}
	}
	return d, nil
}
