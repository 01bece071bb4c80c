package pbs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Commands for qmgr do what qmgr does with them, and what is not understood is said with its line.
func TestCommands(t *testing.T) {
	const before = "Queue workq\n    acl_users = ann\n    acl_users = bob\n    max_running = 4\n"
	const night = "create queue night\n"
	unchanged := "queue workq: acl_users=ann acl_users=bob max_running=4"
	for commands, want := range map[string]string{
		// Several attributes, objects and commands on a line.
		"set queue workq enabled=False,started=False":                               unchanged + " enabled=False started=False",
		"set queue workq enabled = False, started = False":                          unchanged + " enabled=False started=False",
		"set queue workq enabled=False,\\\n  started=False":                         unchanged + " enabled=False started=False",
		"s q workq enabled=f,started=Y":                                             unchanged + " enabled=False started=True",
		"Qmgr: set queue workq Priority=3":                                          unchanged + " Priority=3",
		"qmgr -c 'set queue workq Priority = 3'":                                    unchanged + " Priority=3",
		"$ sudo /opt/pbs/bin/qmgr -c \"s q workq Priority=3\" # soon":               unchanged + " Priority=3",
		`qmgr -c 'set server job_sort_formula = '\''max(ncpus, "a" == 1)'\'` + "''": unchanged + "\nserver: job_sort_formula=max(ncpus, \"a\" == 1)",
		"set queue workq@pbs Priority=3":                                            unchanged + " Priority=3",
		"set queue workq Priority = 3; set queue workq started=False":               unchanged + " Priority=3 started=False",
		night + "set queue workq,night Priority=3":                                  unchanged + " Priority=3\nqueue night: enabled=False started=False Priority=3",
		"create queue day queue_type=e,Priority=2":                                  unchanged + "\nqueue day: enabled=False started=False queue_type=e Priority=2",
		"active queue workq\nset queue Priority=3":                                  unchanged + " Priority=3",
		night + "active queue workq,night\ns q Priority=3":                          "queue workq: acl_users=ann acl_users=bob max_running=4 Priority=3\nqueue night: enabled=False started=False Priority=3",
		night + "set queue @default enabled=True":                                   unchanged + " enabled=True\nqueue night: started=False enabled=True",
		"set queue @active max_running=5":                                           "queue workq: acl_users=ann acl_users=bob max_running=5",
		"unset queue @default max_running":                                          "queue workq: acl_users=ann acl_users=bob",
		"d q @default":                                                              "",
		// Comments, indented lines, and lines that go on, as people write them.
		"set queue workq Priority=3 # for the night; set queue workq started=False": unchanged + " Priority=3",
		"set queue workq comment=\"no # of it\" # but this":                         unchanged + " comment=no # of it",
		"    set queue workq Priority=3\n\tset queue workq started=False":           unchanged + " Priority=3 started=False",
		"set queue workq \\  \n  Priority=3, \\\n  started=False":                   unchanged + " Priority=3 started=False",
		"create queue night \\\n\tPriority=3":                                       unchanged + "\nqueue night: enabled=False started=False Priority=3",
		// What a script of a shell gives qmgr.
		"#!/bin/sh\nset -e\nqmgr -c 's q workq Priority=3' && qmgr -c \"s q workq started=f\"":                                                                          unchanged + " Priority=3 started=False",
		"qmgr -c 's q workq Priority=3'; qmgr -c 's q workq comment = \"a;b\"' pbs":                                                                                     unchanged + " Priority=3 comment=a;b",
		"sudo qmgr <<'EOF'\nset queue workq Priority=3\nquit\nEOF\nqmgr <<X\n s q workq started=t\nX":                                                                   unchanged + " Priority=3 started=True",
		`echo "set queue workq Priority=3" | sudo qmgr`:                                                                                                                 unchanged + " Priority=3",
		"qmgr -c 's q workq Priority=3' || exit 1":                                                                                                                      unchanged + " Priority=3",
		"qmgr -ac 's q workq Priority=3' >/dev/null 2>&1 || { echo \"it's bad\"; exit 1; }":                                                                             unchanged + " Priority=3",
		"if ! qmgr -c 's q workq Priority=3' > log; then\n  echo no\n  exit 1\nfi\nqmgr -c 's q workq started=f' 2>&1 | tee log":                                        unchanged + " Priority=3 started=False",
		"cat <<EOF | qmgr\nset queue workq Priority=3\nEOF\nsudo qmgr <<-'X' >/dev/null || exit 1\n\tset queue workq started=f\n\tX\nqmgr -c 's q workq max_running=5'": "queue workq: acl_users=ann acl_users=bob Priority=3 started=False max_running=5",
		`qmgr <<< "set queue workq Priority=3" && echo done`:                                                                                                            unchanged + " Priority=3",
		`printf 's q workq Priority=3\ns q workq started=f\n' | sudo -u root qmgr`:                                                                                      unchanged + " Priority=3 started=False",
		"delete queue workq": "",
		// A comma in a value is no end of it, where nothing that follows is an attribute.
		`set queue workq acl_groups="a,b",Priority=3`:                        unchanged + " acl_groups=a,b Priority=3",
		"set queue workq max_run=[u:a=1],[u:b=2]":                            unchanged + " max_run=[u:a=1],[u:b=2]",
		`set queue workq comment = "x, y = z"`:                               unchanged + " comment=x, y = z",
		`set queue workq comment = "x=1, y",Priority=3`:                      unchanged + " comment=x=1, y Priority=3",
		"set queue workq comment = \"a,\nset queue workq x = 1\",Priority=3": unchanged + " comment=a,\nset queue workq x = 1 Priority=3",
		"set server job_sort_formula=max(a, b == 2),backfill_depth=3":        unchanged + "\nserver: job_sort_formula=max(a, b == 2) backfill_depth=3",
		// What was set before is replaced, added to and taken away.
		"set queue workq acl_users=eve":                                "queue workq: max_running=4 acl_users=eve",
		"set queue workq acl_users -= ann":                             "queue workq: acl_users=bob max_running=4",
		`set queue workq acl_users-="ann,bob"`:                         "queue workq: max_running=4",
		"set queue workq max_running += 2":                             "queue workq: acl_users=ann acl_users=bob max_running=6",
		"set queue workq max_running-=1,acl_users+=eve":                "queue workq: acl_users=ann acl_users=bob max_running=3 acl_users=eve",
		"unset queue workq acl_users":                                  "queue workq: max_running=4",
		"unset queue workq acl_users, max_running":                     "queue workq:",
		"unset queue workq started":                                    unchanged + " started=False",
		"set server x.ncpus=1,x.mem=2\nunset server x\nset server y=1": unchanged + "\nserver: y=1",
		// Amounts are added to and subtracted from, and the limit of an entity is replaced.
		"set queue workq resources_max.walltime = 00:30:00\nset queue workq resources_max.walltime += 01:00:00": unchanged + " resources_max.walltime=01:30:00",
		"set queue workq resources_max.walltime = 30:00\nset queue workq resources_max.walltime -= 60":          unchanged + " resources_max.walltime=00:29:00",
		"set queue workq resources_max.mem = 4gb\nset queue workq resources_max.mem -= 2gb":                     unchanged + " resources_max.mem=2gb",
		"set queue workq resources_max.mem = 4GB, resources_max.mem += 512mb":                                   unchanged + " resources_max.mem=4608mb",
		"set queue workq resources_max.mem = 1kw, resources_max.mem += 24b":                                     unchanged + " resources_max.mem=8216b",
		"set queue workq max_run = [u:bob=0]\nset queue workq max_run += [u:bob=3]":                             unchanged + " max_run=[u:bob=3]",
		`set queue workq max_run = "[u:PBS_GENERIC=2], [u:bob=0]", max_run += [u:bob=3]`:                        unchanged + " max_run=[u:PBS_GENERIC=2] max_run=[u:bob=3]",
		// Commands end at each semicolon outside quotes.
		"set queue workq started=False;":                                                                                                unchanged + " started=False",
		"set queue workq started = False; ; # and no more\nset queue workq Priority=3":                                                  unchanged + " started=False Priority=3",
		"set queue workq started = False; help; export h; quit":                                                                         unchanged + " started=False",
		`set queue workq comment = "a; set x"; set queue workq started=False`:                                                           unchanged + " comment=a; set x started=False",
		`set queue workq comment = 'a "b; c'; set queue workq started=False`:                                                            unchanged + ` comment=a "b; c started=False`,
		"Max open servers: 49\nQmgr: set queue workq Priority=3\nQmgr: exit\nMax open servers: 49\nQmgr: set queue workq started=False": unchanged + " Priority=3 started=False",
		"Qmgr: s q workq Priority=3\nQmgr: p q\n#\n# Create queues and set their attributes.\n#\ncreate queue workq\nset queue workq x = 1\nQmgr: l q workq\nQueue workq\n    x = 1\n\nQmgr: s q workq started=t": unchanged + " Priority=3 started=True",
		// In a listing, each of several limits has a line.
		"Queue: day\n    max_run = [g:staff=3]\n    max_run = [u:bob=2]\n    Priority = 3": unchanged + "\nqueue day: max_run=[g:staff=3] max_run=[u:bob=2] Priority=3",
		// Lines of a listing, of a hook and of a session change nothing.
		"# a comment\n\nlist queue\np s\nimport hook h application/x-python base64 -\nZXZlbnQ=\nYWNjZXB0\n#\nexit": unchanged,
	} {
		objects, remarks := ParseObjects("text", before+commands+"\n")
		if got := inWords(objects); got != want || len(remarks) > 0 {
			t.Errorf("%s: %v\n%s", commands, remarks, cmp.Diff(want, got))
		}
	}
	for commands, want := range map[string]string{
		"set node @default priority=3":             `line 5: @default is each node, and nothing tells here which there are, so that this does not count`,
		"set queue workq Priority=3 started=False": "line 5: 'set queue workq Priority=3 started=False': qmgr wants a comma between two attributes, and quotes around a value with blanks, so that this does not count",
		"qmgr -c 'help' && qmgr < more":            `line 5: "qmgr < more" is not understood, and does not count`,
		"true || qmgr -c 's q workq x=1'":          `line 5: "qmgr -c 's q workq x=1'" is what the script does where a command before it fails, and does not count`,
		"qmgr -c 'print queue workq'; restart pbs": `line 5: "restart pbs" is not understood, and does not count`,
		"set queue workq enabled":                  `line 5: "set queue workq enabled" is not understood, and does not count`,
		"set quene workq enabled=True":             `line 5: "set quene workq enabled=True" is not understood, and does not count`,
		"qmgr obj=workq svr=default: Unknown":      `line 5: "qmgr obj=workq svr=default: Unknown" is not understood, and does not count`,
		"set queue workq acl_users -= eve":         "line 5: acl_users of queue workq has no eve before it, so that -= takes nothing away",
		"set server acl_users -= eve":              "line 5: acl_users of server is not set before it, so that -= takes nothing away",
		"unset server managers":                    "line 5: managers of server is not set before it, so that unset does nothing",
		"e\nset queue workq max_running = 4":       "line 5: this may be short for exit, behind which no command counts: it is taken for export, and the commands behind it count; write it in full",
		"ex; set queue workq max_running=4":        "line 5: this may be short for exit, behind which no command counts: it is taken for export, and the commands behind it count; write it in full",
		"delete queue night":                       "line 5: there is no queue night before it, so that delete does nothing",
		"Hook h\n    enabled":                      `line 6: "enabled" is not understood, and does not count`,
	} {
		objects, remarks := ParseObjects("text", before+commands+"\n")
		if got := strings.TrimSuffix(strings.TrimSuffix(inWords(objects), "\nserver:"), "\nhook h:"); len(remarks) != 1 || remarks[0].Text != "text: "+want || remarks[0].IsDamage == strings.HasSuffix(want, "unset does nothing") || got != unchanged {
			t.Errorf("%s: %v, want %s\n%s", commands, remarks, want, got)
		}
	}
	// What stands behind quit does not count, and an amount that cannot be computed is said.
	for _, x := range []struct {
		commands, want string
		isDamage       bool
	}{
		{"quit\n\nset queue workq Priority=3", "line 7: commands behind quit do not count, as qmgr reads none of them", false},
		{"quit; set queue workq Priority=3\nset queue workq Priority=4", "line 5: commands behind quit do not count, as qmgr reads none of them", false},
		{"set queue workq max_running -= 2gb", "line 5: max_running -= 2gb of queue workq is not read, since it is 4 before it, so that it does not count", true},
	} {
		objects, remarks := ParseObjects("text", before+x.commands+"\n")
		if got := inWords(objects); len(remarks) != 1 || remarks[0].Text != "text: "+x.want || remarks[0].IsDamage != x.isDamage || got != unchanged {
			t.Errorf("%s: %v, want %s\n%s", x.commands, remarks, x.want, got)
		}
	}
	for _, change := range []string{"resources_max.walltime += x", "resources_max.walltime -= 02:00:00", "resources_max.walltime += 2gb"} {
		objects, remarks := ParseObjects("text", before+"set queue workq resources_max.walltime = 1:00:00\nset queue workq "+change+"\n")
		if got := inWords(objects); len(remarks) != 1 || !strings.Contains(remarks[0].Text, "is not read") || got != unchanged+" resources_max.walltime=1:00:00" {
			t.Errorf("%s: %v\n%s", change, remarks, got)
		}
	}
	// A command that is cut off does nothing, however its value is written.
	for _, commands := range []string{"set queue workq enabled=False,started=Fal", "set queue workq x = \"a\nb\"", "set queue workq x = a\n\tb", "delete queue workq", "unset queue workq max_running"} {
		objects, remarks := ParseObjects("text", before+commands)
		if got := inWords(objects); len(remarks) != 1 || !strings.Contains(remarks[0].Text, "cut off") || got != unchanged {
			t.Errorf("%s: %v\n%s", commands, remarks, got)
		}
	}
}

// inWords returns objects as lines.
func inWords(objects []*Object) string {
	var lines []string
	for _, o := range objects {
		line := o.String() + ":"
		for _, a := range o.Attributes {
			line += " " + a.Name + "=" + a.Value
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Of a script of a shell, no call of qmgr is passed over in silence, and none is tried that is made where another one fails.
func TestCommandsOfScripts(t *testing.T) {
	const set3, set4 = "qmgr -c 's q workq Priority=3'", "qmgr -c 's q workq Priority=4'"
	unknown := func(line, text string) string {
		return "line " + line + `: "` + text + `" is not understood, and does not count`
	}
	fails := func(line, text string) string {
		return "line " + line + `: "` + text + `" is what the script does where a command before it fails, and does not count`
	}
	const decides = " and a condition of the script decides which of the two counts: this one is tried"
	for _, x := range []struct {
		script, value string
		says          []string
	}{
		// Words that lead to a command.
		{"if test -f x\nthen " + set3 + "\nfi", "3", []string{unknown("3", "if test -f x"), "line 4: Priority of queue workq is set before it as well (line 2)," + decides}},
		{"if qmgr -c 'p s'; then " + set3 + "; fi", "3", nil},
		{"if qmgr -c 'p s'\nthen\n" + set3 + "\nelse\n echo no\nfi", "3", nil},
		{"qmgr -c 'p s' | while read line\ndo " + set3 + "\ndone", "3", nil},
		{"{\n" + set3 + "\n}", "3", nil},
		{"{ " + set3 + "; }", "3", nil},
		{"(" + set3 + ")", "3", nil},
		{"( cd /tmp && " + set3 + " )", "3", nil},
		{"main()\n{\n  " + set3 + "\n}\nmain", "3", []string{unknown("3", "main()"), unknown("7", "main")}},
		{"PBS_EXEC=/opt/pbs " + set3, "3", nil},
		{"if test; then qmgr <<X\ns q workq Priority=1\nX\nfi", "1", []string{unknown("3", "if test")}},
		// Two branches.
		{"if test; then " + set3 + "; else " + set4 + "; fi", "4", []string{"line 3: Priority of queue workq is set before it as well (line 2)," + decides, "line 3: Priority of queue workq is set before it as well (line 3)," + decides, unknown("3", "if test")}},
		{"if test; then\n" + set3 + "\n" + set4 + "\nelse\ntrue\nfi\n" + set3, "3", []string{unknown("3", "if test"), "line 4: Priority of queue workq is set before it as well (line 2)," + decides}},
		// What is done where a call of qmgr fails.
		{set3 + " || " + set4, "3", []string{fails("3", "qmgr -c 's q workq Priority=4'")}},
		{set3 + " || {\n echo no\n" + set4 + "\n}", "3", []string{fails("5", "qmgr -c 's q workq Priority=4'")}},
		{set3 + " || { echo no; " + set4 + "; exit 1; }; qmgr -c 's q workq started=f'", "3", []string{fails("3", "qmgr -c 's q workq Priority=4'")}},
		{"if ! " + set3 + "; then\n" + set4 + "\nfi", "3", []string{fails("4", "qmgr -c 's q workq Priority=4'")}},
		{"if " + set3 + "; then true; else " + set4 + "; fi", "3", []string{fails("3", "qmgr -c 's q workq Priority=4'")}},
		{"if " + set3 + " && test; then true; else " + set4 + "; fi", "4", []string{"line 3: Priority of queue workq is set before it as well (line 3)," + decides, unknown("3", "test")}},
		{set3 + " || qmgr <<X\ns q workq Priority=4\nX\nqmgr -c 's q workq started=f'", "3", []string{fails("3", "qmgr <<X")}},
		{set3 + " || echo 's q workq Priority=4' | qmgr", "3", []string{fails("3", "qmgr")}},
		{set3 + " && qmgr <<X\ns q workq Priority=4\nX", "4", nil},
		{"cat <<X | qmgr\ns q workq Priority=4\nX", "4", nil},
		// Each call is a qmgr of its own.
		{"qmgr <<X\nquit\nX\n" + set3, "3", nil},
		{"qmgr -c 's q workq started=f; quit'\n" + set3, "3", nil},
		// What is not understood.
		{"{ echo 's q workq Priority=3'; echo 's q workq Priority=4'; } | qmgr", "1", []string{unknown("3", "{ echo 's q workq Priority=3'; echo 's q workq Priority=4'; …")}},
		{"echo $(" + set3 + ")", "1", []string{unknown("3", "echo $(qmgr -c 's q workq Priority=3')")}},
		{"case $x in\na) " + set3 + ";;\nesac", "1", []string{unknown("3", "case $x in"), unknown("4", "a) qmgr -c 's q workq Priority=3'"), unknown("5", "esac")}},
	} {
		own := []*Object{{Kind: "queue", Name: "workq"}}
		p := parseChanges(own, there{}, "#!/bin/sh\nqmgr -c 's q workq Priority=1'\n"+x.script+"\n")
		var says []string
		for _, r := range p.remarks("text") {
			says = append(says, strings.TrimPrefix(r.Text, "text: "))
		}
		slices.Sort(says)
		slices.Sort(x.says)
		if got := p.objects[0].value("Priority"); got != x.value || !slices.Equal(says, x.says) {
			t.Errorf("%s: Priority is %s, want %s\n%s", x.script, got, x.value, cmp.Diff(x.says, says))
		}
	}
}
