package setup

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
)

// TestInUse compares what limits count of running jobs with what slurmctld itself printed at each recorded moment: the
// numbers in brackets of scontrol show assoc_mgr, of each QOS, of each user and account in one, and of each association.
func TestInUse(t *testing.T) {
	var names []string
	for _, folder := range []string{"slurm-now", "slurm-site"} {
		found, err := filepath.Glob("../../../../testdata/" + folder + "/*.tgz")
		if err != nil || len(found) == 0 {
			t.Fatal(folder, err)
		}
		names = append(names, found...)
	}
	whole := 0 // jobs that have more than they asked for
	for _, name := range names {
		d, err := dump.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		l, listed := limitsOf(t, d)
		maker, c := l.maker, l.setup
		got := map[string]float64{} // by whose and resource
		nodes := map[string]map[string]bool{}
		for i := range listed {
			n := &listed[i]
			if !IsRunning(n.State) && n.State != suspended {
				continue
			}
			j, why := maker.Listed(n, d.Taken().Unix())
			if j == nil {
				t.Fatal(name, n.ID, why)
			}
			if n.Has()["cpu"] > n.TRES["cpu"] {
				whole++
			}
			own := c.Names[j.Association]
			qos := []int{j.QOS}
			if c.PartitionQOS != nil && c.PartitionQOS[j.Partition] >= 0 && c.PartitionQOS[j.Partition] != j.QOS {
				qos = append(qos, c.PartitionQOS[j.Partition])
			}
			var whose []string
			for _, at := range qos {
				of := "QOS " + c.QOS[at].Name
				whose = append(whose, of, of+" user "+own.User, of+" account "+own.Account)
			}
			for at := j.Association; at >= 0; at = c.Accounts[at].Parent {
				whose = append(whose, "association "+c.Names[at].String())
			}
			for _, of := range whose {
				got[of+" billing"] += math.Trunc(j.Billing) // of which limits count the whole part
				for _, tres := range []string{"cpu", "mem", "gres/gpu", "gres/gpu:a100"} {
					if at := c.AmountOf(tres); at >= 0 {
						got[of+" "+tres] += float64(j.Given[at])
					}
				}
				for _, node := range n.Nodes {
					if nodes[of+" node"] == nil {
						nodes[of+" node"] = map[string]bool{}
					}
					nodes[of+" node"][node] = true
				}
			}
		}
		for of, set := range nodes {
			got[of] = float64(len(set))
		}
		printed := inUseOf(d)
		if len(printed) < 50 {
			t.Fatalf("%s: scontrol show assoc_mgr tells %d amounts alone", name, len(printed))
		}
		for of, want := range printed {
			if of[strings.LastIndexByte(of, ' ')+1:] == "gres/gpu:a100" && c.AmountOf("gres/gpu:a100") < 0 {
				continue // no limit here is of it
			}
			if got[of] != want {
				t.Errorf("%s: %s: %g in use, and slurmctld counts %g", name, of, got[of], want)
			}
		}
	}
	if whole == 0 {
		t.Error("no recorded job has more than it asked for")
	}
}

// inUseOf returns the numbers in brackets of GrpTRES, MaxTRESPU and MaxTRESPA, by whose and resource.
func inUseOf(d *dump.Dump) map[string]float64 {
	printed := map[string]float64{}
	qos, kind, whose := "", "", ""
	users := map[string]string{} // by number, as some name them
	for line := range strings.Lines(d.All(dump.KindManager)[0].Text) {
		line = strings.TrimSpace(line)
		fields := amountTexts(strings.ReplaceAll(line, " ", ","), func(text string) string { return text })
		name, _, isNamed := strings.Cut(line, "(")
		switch key, list, _ := strings.Cut(line, "="); {
		case key == "ClusterName":
			user, _, _ := strings.Cut(fields["UserName"], "(")
			if whose = "association " + fields["Account"]; user != "" {
				users[strings.TrimSuffix(strings.TrimPrefix(fields["UserName"], user+"("), ")")] = user
				whose += "/" + user
			}
		case key == "QOS":
			qos, _, _ = strings.Cut(fields["QOS"], "(")
			whose = "QOS " + qos
		case line == "Account Limits":
			kind = " account "
		case line == "User Limits":
			kind = " user "
		case slices.Contains([]string{"GrpTRES", "MaxTRESPU", "MaxTRESPA"}, key):
			for part := range strings.SplitSeq(list, ",") {
				tres, amount, _ := strings.Cut(part, "=")
				_, used, _ := strings.Cut(amount, "(")
				if x, err := strconv.ParseFloat(strings.TrimSuffix(used, ")"), 64); err == nil && slices.Contains([]string{"cpu", "mem", "node", "billing", "gres/gpu", "gres/gpu:a100"}, tres) {
					printed[whose+" "+tres] = x
				}
			}
		case qos != "" && !strings.Contains(line, "="):
			if !isNamed {
				name = line
			}
			if users[name] != "" {
				name = users[name]
			}
			whose = "QOS " + qos + kind + name
		}
	}
	return printed
}
