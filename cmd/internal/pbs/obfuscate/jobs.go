package obfuscate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/snapshot"
)

// rewriters are what becomes of values that a copy keeps in one of the ways of pbs.Copy, but for those of sched_config.
var rewriters = map[pbs.Copy]func(n *names, value string) string{
	pbs.CopyAsIs: func(_ *names, value string) string { return value },
	pbs.CopyUser: named("user"), pbs.CopyGroup: named("group"), pbs.CopyAccount: named("account"), pbs.CopyProject: named("project"), pbs.CopyJobName: named("job"),
	pbs.CopyHost: named("host"), pbs.CopyAddress: (*names).address, pbs.CopyPlaces: (*names).places, pbs.CopyDependencies: (*names).depend, pbs.CopyID: (*names).id, pbs.CopyIDs: (*names).ids,
	pbs.CopyQueue: (*names).queue, pbs.CopyQueues: (*names).queues, pbs.CopyPath: (*names).path, pbs.CopyMoment: (*names).moment, pbs.CopyRule: (*names).rule,
	pbs.CopyPartitions: (*names).partitions, pbs.CopySchedPriv: (*names).schedPriv, pbs.CopyZone: (*names).zone, pbs.CopyPlain: (*names).plain, pbs.CopyLimits: (*names).limits,
	pbs.CopySelect: func(n *names, value string) string { return n.resource("schedselect", value) },
	pbs.CopyHosts: func(n *names, value string) string {
		return each(value, ",", func(host string) string { return n.Name("host", host) })
	},
	pbs.CopyResources: func(n *names, value string) string { return each(value, ",", n.resourceName) },
}

// copied returns a value as a copy keeps it, of a resource if it is of one; "" for one that says too much.
func (n *names) copied(how pbs.Copy, resource, value string) string {
	if how == pbs.CopyAmounts {
		return n.resource(resource, value)
	}
	if rewrite := rewriters[how]; rewrite != nil {
		return rewrite(n, value)
	}
	return ""
}

// jobCopies are how attributes of jobs and reservations are kept that are not of a resource, by the names that
// lists and accounting logs have for them.
var jobCopies = func() map[string]pbs.Copy {
	copies := map[string]pbs.Copy{}
	for s := range pbs.Settings() {
		if s.Of&(pbs.OfJob|pbs.OfReservation) == 0 || s.PerResource || s.Copy == pbs.NotCopied {
			continue
		}
		for _, name := range append(strings.Fields(s.Logged), s.Name) {
			copies[name] = s.Copy
		}
	}
	return copies
}()

// usedAttributes are what is kept of resources_used.
var usedAttributes = strings.Fields(`resources_used resources_used.ncpus resources_used.cput resources_used.walltime resources_used.mem
	resources_used.vmem resources_used.cpupct resources_used.cpupercent`)

// jobs rewrites the list of jobs as JSON.
func (o *obfuscator) jobs() error {
	from := o.from.First(snapshot.Jobs)
	if !from.IsGiven() {
		return nil
	}
	attributes := append(slices.Collect(maps.Keys(jobCopies)), usedAttributes...)
	if o.entityOf != "" && !o.isPair {
		attributes = append(attributes, o.entityOf)
	}
	slices.Sort(attributes)
	attributes = slices.Compact(attributes)
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := file.Plain(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	type part struct {
		text     []byte
		problems map[string]int
	}
	work := func(b *qstat.Batch) part {
		var text bytes.Buffer
		for i := range b.Records {
			text.WriteString(",\n")
			o.job(&text, &b.Records[i], attributes)
		}
		return part{text.Bytes(), b.Problems}
	}
	var list []byte
	collect := func(p part) error {
		list = append(list, p.text...)
		for _, kind := range slices.Sorted(maps.Keys(p.problems)) {
			o.remarks = append(o.remarks, diag.Damagef("%s: %s", from.Name, kind))
		}
		return nil
	}
	options := qstat.Options{Schema: qstat.NewSchema(attributes...), Workers: 1} // names are numbered in one order
	if _, err := qstat.Read(plain, options, work, collect); err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	var out bytes.Buffer
	out.WriteString("{\n\t\"Jobs\":\t{")
	out.Write(bytes.TrimPrefix(list, []byte(",")))
	out.WriteString("\n\t}\n}\n")
	o.files[snapshot.ListPath] = out.Bytes()
	return nil
}

// job writes a job.
func (o *obfuscator) job(out *bytes.Buffer, r *qstat.Record, attributes []string) {
	fmt.Fprintf(out, "\t\t%s:\t{", quoted(o.id(string(r.ID))))
	separator := "\n"
	write := func(name, value string) {
		fmt.Fprintf(out, "%s\t\t\t%s:\t%s", separator, quoted(name), value)
		separator = ",\n"
	}
	for i, name := range attributes {
		value := string(r.Values[i])
		how, isKept := jobCopies[name]
		switch {
		case r.Values[i] == nil:
		case isKept:
			if value = o.copied(how, "", value); value != "" {
				write(name, amount(value))
			}
		case name == o.entityOf:
			write(name, quoted(o.names.entity(value)))
		case strings.HasPrefix(value, "{"):
			if used := amounts(r.Values[i]); used != "" {
				write(name, used)
			}
		case isAmount().MatchString(value):
			write(name, amount(value))
		}
	}
	var list []string
	for _, e := range r.Resources {
		name := string(e.Name)
		list = append(list, fmt.Sprintf("\t\t\t\t%s:\t%s", quoted(o.resourceName(name)), amount(o.resource(name, string(e.Value)))))
	}
	if list != nil {
		write("Resource_List", "{\n"+strings.Join(list, ",\n")+"\n\t\t\t}")
	}
	out.WriteString("\n\t\t}")
}

// amounts returns an object of JSON with its amounts alone, "" if it is none.
func amounts(text []byte) string {
	var values map[string]any
	if json.Unmarshal(text, &values) != nil {
		return ""
	}
	maps.DeleteFunc(values, func(name string, value any) bool {
		return !slices.Contains(usedAttributes, "resources_used."+name) || !isAmount().MatchString(fmt.Sprint(value))
	})
	out, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	return string(out)
}

// amount returns a number as JSON has it, and any other text as a string.
func amount(text string) string {
	if text != "" && strings.ContainsRune("-0123456789", rune(text[0])) && json.Valid([]byte(text)) {
		return text
	}
	return quoted(text)
}

func quoted(text string) string {
	b, _ := json.Marshal(strings.ToValidUTF8(text, "?")) // a string always can be
	return string(b)
}
