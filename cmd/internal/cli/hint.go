package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// hintFor returns what to do about a command line that cannot be parsed: its first
// word may be meant as a command. unknown is a flag that the command does not have, "" for none.
func hintFor(parser *kong.Kong, args []string, unknown string) string {
	isCommand := func(n *kong.Node) bool { return n.Name == args[0] }
	if isNoCommand(parser, args) {
		text := "there is neither a command nor a file " + args[0]
		if meant := meantCommand(parser, args[0]); meant != "" {
			return text + meant
		}
		return text + "; formula help shows what there is"
	}
	if text := meantFlag(parser, args); text != "" {
		return text
	}
	if len(args) > 2 && hasFlag(parser, args[0], "snapshot") {
		if files := filesAmong(args[1:], os.FileMode.IsRegular); len(files) > 1 {
			return fmt.Sprintf("several prints of one site stand in one folder: mkdir site; cp %s site; formula %s site", strings.Join(files, " "), args[0])
		}
	}
	if text := formulaAmong(parser, args); text != "" {
		return fmt.Sprintf("a formula is given with -f: formula %s -f '%s' SITE", args[0], text)
	}
	if text := meantName(args); text != "" {
		return text
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
	if command := commandOf(parser, args); command != nil && unknown != "" {
		if text := elsewhere(parser, command, unknown); text != "" {
			return text
		}
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

// isNoCommand reports whether a command line begins with a word that is neither a command nor a file.
func isNoCommand(parser *kong.Kong, args []string) bool {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.ContainsFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == args[0] }) {
		return false
	}
	_, err := os.Stat(args[0])
	return err != nil
}

// meantCommand says behind a message which command a word stands for perhaps, "" for none.
func meantCommand(parser *kong.Kong, word string) string {
	if slices.Contains([]string{"search", "vary", "tune", "optimize", "optimise"}, word) {
		return "; formula replay SITE --vary NAME=VALUE,VALUE searches for values that are better"
	}
	var names []string
	for _, command := range parser.Model.Children {
		names = append(names, command.Name)
	}
	return report.Meant(report.Nearest(word, names))
}

// asksForHelp reports whether a command line asks for help.
func asksForHelp(args []string) bool { return hasAny(args, "--help", "-h", "--help-all") }

// meant are flags of other programs, and words for flags that some commands have, each with those of which a command may have one.
var meant = map[string][]string{
	"--since": {"from"}, "-S": {"from"}, "--starttime": {"from"}, "--last": {"from"}, "--until": {"to", "by"}, "-E": {"to"}, "--endtime": {"to"},
	"-u": {"user"}, "--users": {"user"}, "-A": {"account"}, "--accounts": {"account"}, "-j": {"job"}, "--jobid": {"job"}, "-q": {"queue", "qos"},
	"-p": {"queue"}, "--format": {"output"}, "--csv": {"output"}, "--json": {"output"},
}

// meantFlag says which flag of its command the first one stands for that the command does not know, "" where nothing tells.
func meantFlag(parser *kong.Kong, args []string) string {
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "-") || hasFlag(parser, args[0], strings.TrimLeft(name, "-")) {
			continue
		}
		if name == "--try" {
			return "--try changes one job, or what is asked of it: formula when SITE JOB --try nodes=2; what of the site would be other is --set, such as --set hep.shares=60"
		}
		if name == "--set" && len(args) > 1 {
			return "formula " + args[0] + " tries no change of a site: sort, compare, explain, when, nodes and replay do, with --set"
		}
		if (name == "--mine" || name == "--me") && hasFlag(parser, args[0], "user") {
			return "your own jobs: --user NAME, with your name as the list of jobs has it"
		}
		for _, flag := range meant[name] {
			switch {
			case !hasFlag(parser, args[0], flag):
				continue
			case name == "--last":
				return "did you mean --from now-7days?"
			case name == "--csv", name == "--json":
				return "did you mean -o " + name[2:] + "?"
			case value != "":
				return "did you mean --" + flag + "=" + value + "?"
			}
			return "did you mean --" + flag + "?"
		}
	}
	return ""
}

// meantName says how a job or a user is named that stands where a command wants a file, beside one that is there; "" for none.
func meantName(args []string) string {
	if len(args) < 3 || len(filesAmong(args[1:], os.FileMode.IsDir, os.FileMode.IsRegular)) == 0 {
		return ""
	}
	for i, arg := range args[1:] {
		if isFlag := strings.HasPrefix(arg, "-"); isFlag || strings.HasPrefix(args[i], "-") || !isMissing(arg) {
			continue
		}
		switch {
		case args[0] == "history" && isJob(arg):
			return "of one job: formula history LOGS --job " + arg
		case slices.Contains([]string{"history", "when", "sort"}, args[0]) && mayBeUser(arg):
			return fmt.Sprintf("if %s is a user: --user %[1]s", arg)
		}
	}
	return ""
}

// filesAmong returns the arguments that are files of some kinds, and no values of flags.
func filesAmong(args []string, kinds ...func(os.FileMode) bool) (files []string) {
	for i, arg := range args {
		isValue := i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=")
		if info, err := os.Stat(arg); err == nil && !isValue && slices.ContainsFunc(kinds, func(is func(os.FileMode) bool) bool { return is(info.Mode()) }) {
			files = append(files, arg)
		}
	}
	return files
}

// archivesIn says which archives there are in a folder that is named and that an error is about, "" for none.
func archivesIn(args []string, err error) string {
	if err == nil || strings.Contains(err.Error(), "name one of them") { // which it does
		return ""
	}
	for _, dir := range filesAmong(args, os.FileMode.IsDir) {
		entries, _ := os.ReadDir(dir)
		var names []string
		for _, e := range entries {
			if file.IsArchiveName(e.Name()) {
				names = append(names, filepath.Join(dir, e.Name()))
			}
		}
		if len(names) > 0 && strings.Contains(err.Error(), filepath.Clean(dir)) {
			return fmt.Sprintf("%s has %s, which may be of a site: name one, such as %s", dir, report.Count(len(names), "archive"), report.Quote(names[0]))
		}
	}
	return ""
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
