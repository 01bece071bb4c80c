package slurm

import (
	"fmt"
	"testing"
	"time"
)

// What a running job has of each of its nodes, as scontrol -d prints it in lines and with -o, and as JSON has it. What is not all
// that it has is not believed.
func TestSharesOfNodes(t *testing.T) {
	const all = "map[a1:2/4000/map[] b1:4/8000/map[] b2:4/8000/map[]]"
	lines := func(text string) string {
		return "JobId=7 JobName=x\n   UserId=u(1) GroupId=g(1) MCS_label=N/A\n   TRES=cpu=10,mem=20000M,node=3 TimeLimit=00:01:00 SubmitTime=2026-03-02T10:00:00 EligibleTime=2026-03-02T10:00:00 Priority=1 Nice=0 Account=a QOS=q\n   JobState=RUNNING Partition=p\n   NodeList=a1,b[1-2]\n   NumNodes=3 NumCPUs=10 NumTasks=10\n" + text
	}
	const three = "     Nodes=a1 CPU_IDs=4,8 Mem=4000 GRES=\n     Nodes=b[1-2] CPU_IDs=0-3 Mem=8000 GRES=\n"
	json := func(resources string) string {
		return `{"jobs":[{"job_id":7,"user_name":"u","user_id":1,"group_id":1,"job_state":["RUNNING"],"priority":1,"time_limit":60,"tres_req_str":"cpu=10,mem=20000M,node=3","submit_time":1772000000,"eligible_time":1772000000,"nice":0,"account":"a","qos":"q","partition":"p","nodes":"a1,b[1-2]","node_count":3,"cpus":10,"tasks":10,"job_resources":` + resources + `}]}`
	}
	for _, test := range []struct{ name, text, want string }{
		{"lines", lines(three), all},
		{"one line", "JobId=7 JobName=x UserId=u(1) GroupId=g(1) MCS_label=N/A Priority=1 Nice=0 Account=a QOS=q TRES=cpu=10,mem=20000M,node=3 TimeLimit=00:01:00 SubmitTime=2026-03-02T10:00:00 EligibleTime=2026-03-02T10:00:00 JobState=RUNNING Partition=p NodeList=a1,b[1-2] NumNodes=3 NumCPUs=10 NumTasks=10 Nodes=a1 CPU_IDs=4,8 Mem=4000 GRES= Nodes=b[1-2] CPU_IDs=0-3 Mem=8000 GRES= MinCPUsNode=1\n", all},
		{"GPUs", lines("Nodes=a1 CPU_IDs=4,8 Mem=4000 GRES=gpu:a100:1(IDX:0)\nNodes=b[1-2] CPU_IDs=0-3 Mem=8000 GRES=\n"), "map[a1:2/4000/map[gres/gpu:1 gres/gpu:a100:1] b1:4/8000/map[] b2:4/8000/map[]]"},
		{"none", lines(""), "map[]"},
		{"too few CPUs", lines("Nodes=a1 CPU_IDs=4 Mem=4000 GRES=\nNodes=b[1-2] CPU_IDs=0-3 Mem=8000 GRES=\n"), "map[]"},
		{"another node", lines("Nodes=a2 CPU_IDs=4,8 Mem=4000 GRES=\nNodes=b[1-2] CPU_IDs=0-3 Mem=8000 GRES=\n"), "map[]"},
		{"a node twice", lines("Nodes=b1 CPU_IDs=4,8 Mem=4000 GRES=\nNodes=b[1-2] CPU_IDs=0-3 Mem=8000 GRES=\n"), "map[]"},
		{"no memory", lines("Nodes=a1 CPU_IDs=4,8 GRES=\nNodes=b[1-2] CPU_IDs=0-3 Mem=8000 GRES=\n"), "map[]"},
		{"JSON", json(`{"nodes":{"allocation":[{"name":"a1","cpus":{"count":2},"memory":{"allocated":4000}},{"name":"b1","cpus":{"count":4},"memory":{"allocated":8000}},{"name":"b2","cpus":{"count":4},"memory":{"allocated":8000}}]}}`), all},
		{"JSON of 22.05", json(`{"allocated_cores":10,"allocated_nodes":[{"nodename":"a1","memory_allocated":4000,"sockets":{"0":{"cores":{"0":"allocated"}}}},{"nodename":"b1","memory_allocated":8000,"sockets":{"0":{"cores":{"0":"allocated","3":"allocated"}}}},{"nodename":"b2","memory_allocated":8000,"sockets":{"0":{"cores":{"0":"allocated"}},"1":{"cores":{"0":"allocated"}}}}]}`), all},
		{"JSON of 22.05, of nodes with other threads", json(`{"allocated_cores":11,"allocated_nodes":[{"nodename":"a1","memory_allocated":4000,"sockets":{"0":{"cores":{"0":"allocated"}}}},{"nodename":"b1","memory_allocated":8000,"sockets":{"0":{"cores":{"0":"allocated","3":"allocated"}}}},{"nodename":"b2","memory_allocated":8000,"sockets":{"0":{"cores":{"0":"allocated"}},"1":{"cores":{"0":"allocated"}}}}]}`), "map[]"},
	} {
		jobs, problems, err := ParseNow(test.text, time.UTC)
		if err != nil || len(jobs) != 1 {
			t.Fatalf("%s: %v, %v, %d", test.name, problems, err, len(jobs))
		}
		got := map[string]string{}
		for _, x := range jobs[0].OfNodes {
			got[x.Name] = fmt.Sprintf("%d/%d/%v", x.CPUs, x.Memory, x.GRES)
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, want %s", test.name, got, test.want)
		}
	}
}
