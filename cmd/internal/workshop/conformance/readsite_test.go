package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// smallSite is a PBS site of a few jobs, vnodes and queues, of which each attribute can be another one.
type smallSite struct {
	objects smallObjects // by kind and name, such as "job.3" and "server."
	tree    string       // resource_group
}

// smallSiteAt is when it is asked: 2026-03-02 12:00 UTC.
const smallSiteAt = 1772452800

// newSmallSite returns a site where what a scheduler reads makes a difference: strict ordering with top jobs, a
// preemptor, fairshare, limits that are not reached, and jobs that fill it.
func newSmallSite() *smallSite {
	s := &smallSite{objects: smallObjects{}}
	s.set("server.", `scheduling=True|server_state=Active|job_sort_formula=queue_priority + job_priority + eligible_time/3600 + 10*fairshare_factor|eligible_time_enable=True|
		backfill_depth=2|default_chunk.ncpus=1|resources_default.ncpus=1|scheduler_iteration=600|flatuid=True|pbs_version=23.06.06`)
	s.set("sched.", "scheduling=True|preempt_queue_prio=150|preempt_prio=express_queue, normal_jobs|preempt_order=SCR|job_sort_formula_threshold=0|sched_cycle_length=00:20:00")
	s.set("queue.workq", "queue_type=Execution|Priority=100|enabled=True|started=True")
	s.set("queue.highq", "queue_type=Execution|Priority=120|enabled=True|started=True")
	s.set("config.", `round_robin=False all|by_queue=False prime|by_queue=False non_prime|strict_ordering=true ALL|help_starving_jobs=false ALL|max_starve=24:00:00|backfill_prime=false ALL|
		prime_exempt_anytime_queues=false|primetime_prefix=p_|nonprimetime_prefix=np_|fair_share=true ALL|unknown_shares=10|fairshare_usage_res=ncpus|
		fairshare_entity=euser|fairshare_decay_time=24:00:00|fairshare_decay_factor=0.5|node_sort_key="sort_priority HIGH" ALL|
		resources="ncpus, mem, arch, host, vnode, aoe, eoe, rack, lic"|dedicated_prefix=ded|preemptive_sched=true ALL`)
	for i, name := range []string{"n1", "n2", "n3", "n4"} {
		s.set("vnode."+name, fmt.Sprintf("Mom=%[1]s|ntype=PBS|state=free|pcpus=8|resources_available.arch=linux|resources_available.host=%[1]s|resources_available.mem=32gb|"+
			"resources_available.ncpus=8|resources_available.vnode=%[1]s|resources_available.rack=r%[2]d|resv_enable=True|sharing=default_shared|license=l", name, 1+i/2))
	}
	job := func(id int, state, user, queue string, age int, select_, walltime, more string) {
		at := time.Unix(smallSiteAt-int64(age), 0).UTC().Format(time.ANSIC)
		ncpus, nodect := 0, 0
		for _, chunk := range strings.Split(select_, "+") {
			var n, cpus int
			fmt.Sscanf(chunk, "%d:ncpus=%d", &n, &cpus)
			ncpus, nodect = ncpus+n*cpus, nodect+n
		}
		s.set(fmt.Sprintf("job.%d", id), fmt.Sprintf(`Job_Name=j%[1]d|Job_Owner=%[3]s@h|job_state=%[2]s|queue=%[4]s|server=srv|Checkpoint=u|ctime=%[5]s|Hold_Types=n|mtime=%[5]s|Priority=0|
			qtime=%[5]s|etime=%[5]s|Rerunable=True|Resource_List.ncpus=%[6]d|Resource_List.nodect=%[7]d|Resource_List.place=free|Resource_List.select=%[8]s|Resource_List.walltime=%[9]s|
			schedselect=%[8]s|euser=%[3]s|egroup=%[3]sg|project=_pbs_project_default|queue_rank=%[10]d|eligible_time=%[11]s|substate=10|%[12]s`,
			id, state, user, queue, at, ncpus, nodect, select_, walltime, smallSiteAt-age, hours(age), more))
	}
	running := func(id int, user, queue string, age int, select_, walltime, where string) {
		stime := time.Unix(smallSiteAt-int64(age)+60, 0).UTC().Format(time.ANSIC)
		job(id, "R", user, queue, age, select_, walltime, "stime="+stime+"|exec_vnode="+where+"|substate=42|resources_used.ncpus=8|resources_used.walltime="+hours(age-60)+"|run_count=1|eligible_time=00:01:00")
	}
	running(11, "ann", "workq", 7200, "1:ncpus=8", "02:10:00", "(n1:ncpus=8)")
	running(12, "bob", "workq", 3600, "1:ncpus=8", "03:00:00", "(n2:ncpus=8)")
	running(13, "cat", "workq", 3500, "1:ncpus=4", "04:00:00", "(n3:ncpus=4)")
	job(21, "Q", "ann", "workq", 3000, "3:ncpus=8", "01:00:00", "")
	job(22, "Q", "bob", "workq", 2000, "1:ncpus=4", "06:00:00", "")
	job(23, "Q", "cat", "workq", 1500, "1:ncpus=2", "00:05:00", "")
	job(24, "Q", "dan", "workq", 1000, "2:ncpus=1", "00:05:00", "")
	job(25, "Q", "dan", "highq", 500, "2:ncpus=2", "01:00:00", "")
	s.tree = "grp1 10 root 40\nann 11 grp1 10\nbob 12 grp1 10\ngrp2 20 root 60\ncat 21 grp2 10\ndan 22 grp2 10\n"
	return s
}

func hours(seconds int) string {
	return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// smallObjects are the attributes of the objects of a small site.
type smallObjects map[string]map[string]string

// of returns the names of the objects of a kind in their order.
func (all smallObjects) of(kind string) (names []string) {
	for object := range all {
		if name, ok := strings.CutPrefix(object, kind+"."); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// set sets attributes of an object: NAME=VALUE, between bars; an empty value takes it away.
func (s *smallSite) set(object, attributes string) {
	of := s.objects[object]
	if of == nil {
		of = map[string]string{}
		s.objects[object] = of
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(attributes, "|;", "\x00"), "|") {
		part = strings.ReplaceAll(part, "\x00", ";")
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if object == "config." && of[name] != "" && name == "by_queue" {
			of[name+" "] = value // of the other time
			continue
		}
		if of[name] = value; value == "" {
			delete(of, name)
		}
	}
}

// edit makes changes such as "job.21.Priority=7;server.backfill_depth=0".
func (s *smallSite) edit(changes string) {
	for change := range strings.SplitSeq(changes, ";") {
		if change = strings.TrimSpace(change); change == "" {
			continue
		}
		kind, rest, _ := strings.Cut(change, ".")
		switch kind {
		case "server", "sched", "config":
			s.set(kind+".", rest)
		case "tree":
			s.tree = strings.ReplaceAll(rest, ",", "\n") + "\n"
		default:
			name, attribute, _ := strings.Cut(rest, ".")
			s.set(kind+"."+name, strings.ReplaceAll(attribute, "&", "|;")) // a rule has semicolons
		}
	}
}

// text prints an object as qstat -f and pbsnodes do.
func (s *smallSite) text(header, object string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	of := s.objects[object]
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&b, "    %s = %s\n", name, of[name])
	}
	return b.String() + "\n"
}

// write writes the site in the layout of pbs_snapshot, and returns its folder.
func (s *smallSite) write(t testing.TB, name string) string {
	files := map[string]string{"ctime": fmt.Sprint(smallSiteAt, "\n"), "sched_priv/resource_group": s.tree,
		"sched_priv/holidays": "YEAR 2026\nweekday 0600 1730\nsaturday none all\nsunday none all\n", "sched_priv/dedicated_time": ""}
	all := func(kind, header string) (text string) {
		for _, name := range s.objects.of(kind) {
			text += s.text(fmt.Sprintf(header, name), kind+"."+name)
		}
		return text
	}
	files["job/qstat_f.out"] = all("job", "Job Id: %s.srv")
	files["server/qstat_Qf.out"] = all("queue", "Queue: %s")
	files["server/qstat_Bf.out"] = s.text("Server: srv", "server.")
	files["server/qmgr_pr.out"] = "create resource rack\nset resource rack type = string\nset resource rack flag = h\ncreate resource lic\nset resource lic type = long\n"
	files["scheduler/qmgr_lsched.out"] = s.text("Sched default", "sched.")
	files["node/pbsnodes_va.out"] = all("vnode", "%s")
	files["reservation/pbs_rstat_f.out"] = all("resv", "Resv ID: %s.srv")
	var config strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.objects["config."])) {
		fmt.Fprintf(&config, "%s: %s\n", strings.TrimSpace(name), s.objects["config."][name])
	}
	files["sched_priv/sched_config"] = config.String()
	for _, other := range s.objects.of("priv") { // of another scheduler, with what it has as well
		text := config.String()
		for name, value := range s.objects["priv."+other] {
			text += name + ": " + value + "\n"
		}
		files["sched_priv_"+other+"/sched_config"], files["sched_priv_"+other+"/resource_group"] = text, s.tree
	}
	if names := s.objects.of("further"); names != nil {
		files["scheduler/qmgr_lsched.out"] += all("further", "Sched %s")
	}
	files["server_priv/accounting/20260302"] = s.log()
	return write(t, "small/"+name, files)
}

// log prints accounting records: of jobs that have ended, then of those of the list.
func (s *smallSite) log() string {
	type record struct {
		at   int64
		text string
	}
	var records []record
	add := func(at int64, kind, id, rest string) {
		records = append(records, record{at, time.Unix(at, 0).UTC().Format("01/02/2006 15:04:05") + ";" + kind + ";" + id + ".srv;" + rest})
	}
	for _, id := range s.objects.of("job") {
		of := s.objects["job."+id]
		clock := func(name string) int64 {
			at, _ := time.Parse(time.ANSIC, cmp.Or(of[name], of["ctime"]))
			return at.Unix()
		}
		at := clock("ctime")
		common := fmt.Sprintf("user=%s group=%s account=\"%s\" project=%s jobname=%s queue=%s ctime=%d qtime=%d etime=%d", of["euser"], of["egroup"], of["Account_Name"], of["project"], of["Job_Name"], of["queue"], at, clock("qtime"), clock("etime"))
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if strings.HasPrefix(name, "Resource_List.") {
				common += " " + name + "=" + of[name]
			}
		}
		if of["depend"] != "" {
			common += " depend=" + of["depend"]
		}
		add(at, "Q", id, common)
		if started, err := time.Parse(time.ANSIC, of["stime"]); err == nil {
			add(started.Unix(), "S", id, fmt.Sprintf("%s start=%d exec_vnode=%s", common, started.Unix(), of["exec_vnode"]))
		}
	}
	for i, user := range []string{"ann", "bob", "cat", "dan", "ann", "dan"} {
		at, length := smallSiteAt-20000+int64(i)*900, int64(1800+600*i)
		where := fmt.Sprintf("(n%d:ncpus=4)", 1+i%4)
		common := fmt.Sprintf("user=%s group=%[1]sg project=_pbs_project_default jobname=old queue=workq ctime=%[2]d qtime=%[2]d etime=%[2]d Resource_List.ncpus=4 Resource_List.nodect=1 Resource_List.place=free Resource_List.select=1:ncpus=4 Resource_List.walltime=02:00:00", user, at)
		id := fmt.Sprint(1 + i)
		add(at, "Q", id, common)
		add(at+10, "S", id, fmt.Sprintf("%s start=%d exec_vnode=%s", common, at+10, where))
		add(at+10+length, "E", id, fmt.Sprintf("%s start=%d exec_vnode=%s end=%d Exit_status=0 resources_used.ncpus=4 resources_used.walltime=%s run_count=1", common, at+10, where, at+10+length, hours(int(length))))
	}
	slices.SortStableFunc(records, func(a, b record) int { return int(a.at - b.at) })
	var b strings.Builder
	for _, r := range records {
		b.WriteString(r.text + "\n")
	}
	return b.String()
}
