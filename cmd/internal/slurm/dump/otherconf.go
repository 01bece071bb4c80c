package dump

import "fairshare/cmd/internal/pattern"

// otherConfs are the files of configuration beside slurm.conf that people take for something of a site, each by a line of its own and with
// what reads it.
var otherConfs = []struct {
	line pattern.Lazy
	is   string
}{
	{
		pattern.Of(`(?im)^[ \t]*(AutoDetect[ \t]*=|(NodeName[ \t]*=[ \t]*\S+[ \t]+)?Name[ \t]*=[ \t]*\w+[ \t]+(\w+[ \t]*=[ \t]*\S+[ \t]+)*(File|MultipleFiles|Count|Type|Cores|Links|Flags|AutoDetect)[ \t]*=)`),
		"a gres.conf, which slurmd reads (what GRES the nodes have stands in what scontrol show node prints)",
	},
	{
		pattern.Of(`(?im)^[ \t]*(Cgroup(Automount|Mountpoint|Plugin|ReleaseAgentDir)|Constrain(Cores|Devices|RAMSpace|SwapSpace)|Allowed(RAM|Swap)Space|(Max|Min)(RAM|Swap)(Space|Percent)|IgnoreSystemd|EnableControllers)[ \t]*=`),
		"a cgroup.conf, which slurmd reads: neither the order nor when jobs start depends on it",
	},
	{
		pattern.Of(`(?im)^[ \t]*(Dbd(Host|Addr|Port|BackupHost)|Purge\w+After|Archive(Jobs|Steps|Events))[ \t]*=`),
		"a slurmdbd.conf, which slurmdbd reads: neither the order nor when jobs start depends on it",
	},
}

// otherConf returns which other file of configuration a text is, "" for none.
func otherConf(text string) string {
	const most = 8 << 10 // bytes that are looked at
	text = text[:min(len(text), most)]
	for _, x := range otherConfs {
		if x.line().MatchString(text) {
			return x.is
		}
	}
	return ""
}
