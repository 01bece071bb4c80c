package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// hintFor returns what to do about a command line that cannot be parsed: its first
// word may be meant as a command.
func hintFor(parser *kong.Kong, args []string) string {
	isCommand := func(n *kong.Node) bool { return n.Name == args[0] }
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !slices.ContainsFunc(parser.Model.Children, isCommand) {
		if _, err := os.Stat(args[0]); err != nil {
			text := "there is neither a command nor a file " + args[0]
			var names []string
			for _, command := range parser.Model.Children {
				names = append(names, command.Name)
			}
			if near := report.Nearest(args[0], names); near != "" {
				return text + report.Meant(near)
			}
			return text + "; formula help shows what there is"
		}
	}
	if text := formulaAmong(parser, args); text != "" {
		return fmt.Sprintf("a formula is given with -f: formula %s -f '%s' SITE", args[0], text)
	}
	if isJobForSite(args) {
		return fmt.Sprintf("of which site? formula when SITE %s, or --live in its place", args[1])
	}
	if len(args) > 0 && args[0] == "replay" && hasAny(args, "--from", "--to") {
		return "all of a record is replayed: give the logs of the days that are asked for alone (server_priv/accounting/20260302), or for Slurm what sacct -S FROM -E TO prints"
	}
	if len(args) > 0 && hasFlag(parser, args[0], "jobs") && !hasFlag(parser, args[0], "nodes") && slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--nodes") }) {
		return "a folder with what qstat -f and pbsnodes -av print is a site: formula " + args[0] + " reads the vnodes there"
	}
	if len(args) > 0 && args[0] == "shares" && hasAny(args, "--sched", "--queues") {
		return "no attribute that qmgr sets changes a fairshare tree: resource_group, the usage and sched_config do (--sched-priv DIR, or --set group1.shares=60 and --set sched.unknown_shares=10)"
	}
	if len(args) > 0 && slices.ContainsFunc(parser.Model.Children, isCommand) {
		help := fmt.Sprintf("formula %s --help shows what there is", args[0])
		if n, ok := needs[args[0]]; ok && len(args) == 1 {
			return fmt.Sprintf("for PBS: %s. For Slurm: %s. %s", n.pbs, n.slurm, help)
		}
		return help
	}
	return "formula help shows what there is"
}

// isJobForSite reports whether jobs alone are named to formula when.
func isJobForSite(args []string) bool { return len(args) > 1 && args[0] == "when" && isJob(args[1]) }

// hasAny reports whether one of some flags is given, with a value behind it or not.
func hasAny(args []string, flags ...string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(flags, name)
	})
}

// hasFlag reports whether a command has a flag.
func hasFlag(parser *kong.Kong, command, flag string) bool {
	return slices.ContainsFunc(parser.Model.Children, func(n *kong.Node) bool {
		return n.Name == command && slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == flag })
	})
}

// formulaAmong returns the argument of a command that orders or checks which is a formula and stands there as a file would,
// "" for none.
func formulaAmong(parser *kong.Kong, args []string) string {
	if len(args) == 0 || !hasFlag(parser, args[0], "formula") {
		return ""
	}
	for i, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") || strings.HasPrefix(args[i], "-") || !strings.ContainsAny(arg, "*+(") {
			continue
		}
		if _, err := os.Stat(arg); err == nil {
			continue
		}
		if _, err := formula.Parse(arg); err == nil {
			return arg
		}
	}
	return ""
}
