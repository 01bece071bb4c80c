package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/jobs"
)

// jobAttributes are the attributes of jobs that are kept, and what becomes of their
// values; nil leaves them as they are.
var jobAttributes = map[string]func(n *names, value string) string{
	"euser": named("user"), "egroup": named("group"), "Account_Name": named("account"), "project": named("project"),
	"Job_Name": named("job"), "server": named("host"), "Submit_Host": named("host"), "Job_Owner": (*names).address,
	"exec_host": (*names).places, "exec_vnode": (*names).places, "depend": (*names).depend, "array_id": (*names).id,
	"Output_Path": (*names).path, "Error_Path": (*names).path, "jobdir": (*names).path,
	"schedselect": func(n *names, value string) string { return n.resource("schedselect", value) },
	"job_state":   nil, "queue": nil, "ctime": nil, "mtime": nil, "qtime": nil, "etime": nil, "stime": nil, "obittime": nil, "history_timestamp": nil,
	"Priority": nil, "queue_rank": nil, "queue_type": nil, "substate": nil, "eligible_time": nil, "accrue_type": nil, "run_count": nil,
	"array": nil, "array_index": nil, "array_indices_submitted": nil, "array_indices_remaining": nil, "array_state_count": nil, "max_run_subjobs": nil,
	"Exit_status": nil, "Hold_Types": nil, "Rerunable": nil,
	"resources_used": nil, "resources_used.ncpus": nil, "resources_used.cput": nil, "resources_used.walltime": nil, "resources_used.mem": nil,
	"resources_used.vmem": nil, "resources_used.cpupct": nil, "resources_used.cpupercent": nil,
}

func named(kind string) func(*names, string) string {
	return func(n *names, value string) string { return n.name(kind, value) }
}

// jobs rewrites the list of jobs as JSON.
func (o *obfuscator) jobs() error {
	from := o.from.first(Jobs)
	if !from.IsGiven() {
		return nil
	}
	attributes := append(slices.Collect(maps.Keys(jobAttributes)), o.entity)
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
	work := func(b *jobs.Batch) part {
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
	options := jobs.Options{Schema: jobs.NewSchema(attributes...), Workers: 1} // names are numbered in one order
	if _, err := jobs.Read(plain, options, work, collect); err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	var out bytes.Buffer
	out.WriteString("{\n\t\"Jobs\":\t{")
	out.Write(bytes.TrimPrefix(list, []byte(",")))
	out.WriteString("\n\t}\n}\n")
	o.files[listPath] = out.Bytes()
	return nil
}

// job writes a job.
func (o *obfuscator) job(out *bytes.Buffer, r *jobs.Record, attributes []string) {
	fmt.Fprintf(out, "\t\t%s:\t{", quoted(o.id(string(r.ID))))
	separator := "\n"
	write := func(name, value string) {
		fmt.Fprintf(out, "%s\t\t\t%s:\t%s", separator, quoted(name), value)
		separator = ",\n"
	}
	for i, name := range attributes {
		value := string(r.Values[i])
		rewrite, isKept := jobAttributes[name]
		switch {
		case r.Values[i] == nil:
		case !isKept: // fairshare_entity names it
			write(name, quoted(o.names.entity(value)))
		case rewrite != nil:
			write(name, quoted(rewrite(o.names, value)))
		case strings.HasPrefix(value, "{"):
			if used := amounts(r.Values[i]); used != "" {
				write(name, used)
			}
		default:
			write(name, amount(value))
		}
	}
	var list []string
	for _, e := range r.Resources {
		name := string(e.Name)
		list = append(list, fmt.Sprintf("\t\t\t\t%s:\t%s", quoted(name), amount(o.resource(name, string(e.Value)))))
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
	maps.DeleteFunc(values, func(_ string, value any) bool { return !isAmount.MatchString(fmt.Sprint(value)) })
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
