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
	"fairshare/cmd/internal/qstat"
	"fairshare/cmd/internal/snapshot"
)

// rewriters are the attributes of jobs that are kept, as qstat and the accounting logs
// call them, and what becomes of their values.
var rewriters = map[string]func(n *names, value string) string{}

func init() {
	for list, rewrite := range map[string]func(n *names, value string) string{
		"euser user": named("user"), "egroup group": named("group"), "Account_Name account": named("account"), "project": named("project"),
		"Job_Name jobname name resvname": named("job"), "server Submit_Host": named("host"), "Job_Owner owner requestor": (*names).address,
		"exec_host exec_vnode resv_nodes": (*names).places, "depend": (*names).depend, "array_id resvID": (*names).id, "queue": (*names).queue,
		"Output_Path Error_Path jobdir": (*names).path,
		"schedselect":                   func(n *names, value string) string { return n.resource("schedselect", value) },
		"nodes":                         func(n *names, value string) string { return n.places(value) }, // of a reservation
		"ctime mtime qtime etime stime obittime history_timestamp queue_rank start end reserve_start reserve_end": (*names).moment,
		"recurrence_rrule reserve_rrule": (*names).rule, "timezone reserve_timezone": (*names).zone, "Reserve_Owner": (*names).address,
		`Interactive count reserve_state reserve_duration reserve_count reserve_index job_state Priority queue_type substate eligible_time accrue_type run_count array array_index array_indices
		array_indices_submitted array_indices_remaining array_state_count max_run_subjobs Exit_status Hold_Types Rerunable duration`: (*names).plain,
	} {
		for _, name := range strings.Fields(list) {
			rewriters[name] = rewrite
		}
	}
}

// usedAttributes are what is kept of resources_used.
var usedAttributes = strings.Fields(`resources_used resources_used.ncpus resources_used.cput resources_used.walltime resources_used.mem
	resources_used.vmem resources_used.cpupct resources_used.cpupercent`)

// jobs rewrites the list of jobs as JSON.
func (o *obfuscator) jobs() error {
	from := o.from.First(snapshot.Jobs)
	if !from.IsGiven() {
		return nil
	}
	attributes := append(slices.Collect(maps.Keys(rewriters)), usedAttributes...)
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
		rewrite, isKept := rewriters[name]
		switch {
		case r.Values[i] == nil:
		case isKept:
			if value = rewrite(o.names, value); value != "" {
				write(name, amount(value))
			}
		case name == o.entityOf:
			write(name, quoted(o.names.entity(value)))
		case strings.HasPrefix(value, "{"):
			if used := amounts(r.Values[i]); used != "" {
				write(name, used)
			}
		case isAmount.MatchString(value):
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
		return !slices.Contains(usedAttributes, "resources_used."+name) || !isAmount.MatchString(fmt.Sprint(value))
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
