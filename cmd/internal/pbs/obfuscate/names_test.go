package obfuscate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// Names are replaced wherever they stand, and the same ones by the same ones.
func TestNames(t *testing.T) {
	n := newNames(obfuscate.Shift{Weeks: 1, Numbers: 100})
	n.prefixes = []string{"ded", "p_", "np_", "q"}
	n.Name("group", "bio")
	for i, test := range []struct {
		replace    func(*names, string) string
		text, want string
	}{
		{(*names).places, "n07/0*2+n08.example.org/1", "host-1/0*2+host-2/1"},
		{(*names).places, "(n07[0]:ncpus=2)+(n09:ncpus=2+n07[1]:ncpus=1)", "(host-1[0]:ncpus=2)+(host-3:ncpus=2+host-1[1]:ncpus=1)"},
		{(*names).places, `(n07:ncpus=2:software="a+b:c")`, `(host-1:ncpus=2:software="value-1")`},
		{(*names).depend, "afterok:12.pbs.example.org:13[].pbs.example.org@other", "afterok:112.host-4:113[].host-4@host-5"},
		{(*names).depend, "on:2,beforeany:7,meet:ann", "on:2,beforeany:107,value-2"},
		{(*names).depend, "on:ann,afterok:ann", "on:value-3,afterok:value-3"},
		{(*names).limits, `[u:bob=3],[g:PBS_GENERIC=5],[p:"a b"=1], [foo:bar=3]`, `[u:user-1=3],[g:PBS_GENERIC=5],[p:project-1=1]`},
		{(*names).path, "n07:/home/ann/x", "host-1:/path-1"},
		{(*names).address, "bob@n07", "user-1@host-1"},
		{(*names).entity, "chem:bob", "entity-1"}, // chem is nobody's group
		{(*names).entity, "bio:bob", "group-1:user-1"},
		{(*names).id, "7[].pbs.example.org", "107[].host-4"},
		{(*names).id, "R12", "R112"},
		{(*names).id, "call +49 30 1234", "id-1"},
		{(*names).queue, "workq", "line-1"}, // "queue-1" would begin as the queues of a kind do
		{(*names).queue, "p_long", "p_queue-1"},
		{(*names).queue, "R12", "R112"},
		{(*names).queues, "workq,p_long@elsewhere", "line-1,p_queue-1@host-6"},
		{(*names).moment, "1772437196", "1773041996"},
		{(*names).moment, "1772437196000001", "1773041996000001"},
		{(*names).moment, "Mon Mar  2 07:39:56 2026", "Mon Mar  9 07:39:56 2026"},
		{(*names).moment, "1.79525447670458e+15", "1.79585927670458e+15"},
		{(*names).moment, "0", "0"},
		{(*names).moment, "nan", ""},
		{(*names).moment, "noon", ""},
		{(*names).plain, "free,job-busy", "free,job-busy"},
		{(*names).plain, "10.0.0.17", ""},
		{(*names).plain, "+49301234567", ""},
		{(*names).plain, "ann@example.org", ""},
	} {
		if got := test.replace(n, test.text); got != test.want {
			t.Errorf("%d: %s: %s, want %s", i, test.text, got, test.want)
		}
	}
}

// Amounts stay as they are where a resource has amounts, and words become others.
func TestResources(t *testing.T) {
	n := newNames(obfuscate.Shift{})
	n.types = map[string]formula.Type{"lic": formula.StringArray, "gpus": formula.Long, "fast": formula.Boolean, "phone": formula.String}
	for i, test := range []struct{ name, value, want string }{
		{"select", "2:ncpus=2:mem=1gb:host=n07+1:software=abaqus:fast=true", "2:ncpus=2:mem=1gb:host=host-1+1:software=value-1:resource_1=true"},
		{"select", `1:ncpus=1:software="ABAQUS,a:b"`, `1:ncpus=1:software="value-1,value-2"`},
		{"select", "2:bigmem", "2:host-2"},
		{"nodes", "2:ppn=4:n07+n08", "2:ppn=4:host-1+host-3"},
		{"vnode", "n07[3]", "host-1[3]"},
		{"vnode", "n07[ann]", "host-4"},
		{"walltime", "01:00:00", "01:00:00"},
		{"mem", "137438953472b", "137438953472b"},
		{"ncpus", "ann", "value-3"},
		{"place", "scatter:excl:group=rack", "scatter:excl:group=resource_2"},
		{"place", "ann", "value-3"},
		{"lic", "ansys,Abaqus", "value-4,value-1"},
		{"gpus", "12345678", "12345678"},
		{"fast", "T", "T"},
		{"fast", "ann", "value-3"},
		{"phone", "12345678", "value-5"},
		{"other", "12", "12"},
		{"other", "12345678", "value-5"},
		{"other", "10.1.2.3", "value-6"},
		{"other", "yes", "yes"},
	} {
		if got := n.resource(test.name, test.value); got != test.want {
			t.Errorf("%d: %s=%s: %s, want %s", i, test.name, test.value, got, test.want)
		}
	}
}

// No two names become one, whatever they are called before.
func TestNamesStayApart(t *testing.T) {
	n := newNames(obfuscate.Shift{})
	n.resources["resource_1"], n.Taken["resource_1"] = "resource_1", true // a formula uses it
	seen := map[string]string{}
	for _, name := range []string{"ann", "user-1", "user-2", "bob", "user-3"} {
		other := n.Name("user", name)
		if before, ok := seen[other]; ok {
			t.Errorf("%s and %s are both %s", before, name, other)
		}
		seen[other] = name
	}
	if got := n.resourceName("lic"); got != "resource_2" {
		t.Errorf("lic is %s, which another resource is", got)
	}
}

// Only whole words are names: one that is a part of another neither keeps nor replaces a
// part of it.
func TestWholeWords(t *testing.T) {
	o := obfuscator{names: newNames(obfuscate.Shift{}), files: map[string][]byte{}, as: pbs.PrivName}
	o.types = map[string]formula.Type{"lic": formula.Long, "lic2": formula.Long, "my_lic": formula.Long, "HIGH_lic": formula.Long}
	o.keepResources("2*lic + ncpus/1e3")
	o.config(`resources: "ncpus, lic, lic2, my_lic, lic"
node_sort_key: "lic2 HIGH unused" all
node_sort_key: "lic LOW" all
job_sort_key: "HIGH_lic HIGH" all
`)
	const want = `resources: "ncpus, lic, resource_1, resource_2, lic"
node_sort_key: "resource_1 HIGH unused" all
node_sort_key: "lic LOW" all
job_sort_key: "resource_3 HIGH" all
`
	if diff := cmp.Diff(want, string(o.files["sched_priv/sched_config"])); diff != "" {
		t.Errorf("sched_config (-want +got):\n%s", diff)
	}
	for i, test := range []struct {
		replace    func(*names, string) string
		text, want string
	}{
		{(*names).limits, "[u:an=1],[u:ann=2],[u:ann2=3],[u:jo-ann=4],[u:ann=5]", "[u:user-1=1],[u:user-2=2],[u:user-3=3],[u:user-4=4],[u:user-2=5]"},
		{(*names).address, "ann@ann.ann2", "user-2@host-1"},
		{(*names).entity, "anna", "entity-1"},
		{(*names).queues, "ann,ann2q,work,workq,work", "user-2,queue-1,queue-2,queue-3,queue-2"},
		{(*names).depend, "afterok:1.ann:12.ann.b:1.ann", "afterok:1.user-2:12.host-2:1.user-2"},
		{(*names).places, "(ann:ncpus=1:lic2=3)+(ann2[0]:lic=4:my_lic=1)", "(user-2:ncpus=1:resource_1=3)+(user-3[0]:lic=4:resource_2=1)"},
	} {
		if got := test.replace(o.names, test.text); got != test.want {
			t.Errorf("%d: %s: %s, want %s", i, test.text, got, test.want)
		}
	}
}
