package obfuscate

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// value returns what a copy has in place of a value.
type value func(h *hider, text string) string

// rewriters are how a copy keeps values, one for each way that the tables of the readers name.
var rewriters map[slurm.Copy]value

func init() { // since some of them call rewritten
	rewriters = map[slurm.Copy]value{
		slurm.CopyValue: keep, slurm.CopyTime: at, slurm.CopyAmount: amount, slurm.CopyID: id, slurm.CopyDependency: dependency, slurm.CopyWord: word, slurm.CopyWords: words, slurm.CopyReason: reason, slurm.CopySince: since, slurm.CopyPlugin: plugin, slurm.CopyParameters: parameters,
		slurm.CopyCluster: name("cluster"), slurm.CopyUser: name("user"), slurm.CopyUserNumber: numbered("user"), slurm.CopyGroupNumber: numbered("group"), slurm.CopyQOSNumber: numbered("qos"),
		slurm.CopyAccountNumber: numbered("account"), slurm.CopyGroup: name("group"), slurm.CopyAccount: name("account"), slurm.CopyQOS: nameList("qos"), slurm.CopyPartition: nameList("partition"),
		slurm.CopyReservation: name("reservation"), slurm.CopyJobName: name("job"), slurm.CopyHost: name("host"), slurm.CopyHosts: nodesOrNone, slurm.CopyAccounts: access("account"),
		slurm.CopyUsers: access("user"), slurm.CopyQualities: access("qos"), slurm.CopyGroups: access("group"), slurm.CopyTRES: tres, slurm.CopyGRES: gres, slurm.CopyGPUs: gpus, slurm.CopyLicences: licences,
		slurm.CopyLicence: licence, slurm.CopyFeatures: features, slurm.CopySubmitLine: submitLine, slurm.CopySome: some,
	}
}

// rewritten returns what a copy has in place of a value, "" for one that is not kept.
func (h *hider) rewritten(how slurm.Copy, text string) string {
	change := rewriters[how]
	if change == nil {
		return ""
	}
	return change(h, text)
}

// keep keeps numbers, times and words that Slurm itself makes, and counts what is none.
func keep(h *hider, text string) string {
	if !slurmsOwn().MatchString(text) {
		h.strange++
		return ""
	}
	return text
}

// at keeps a time, a date or seconds since 1970, by as much later as times are moved.
func at(h *hider, text string) string {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && obfuscate.UnitOf(float64(seconds)) == 1 {
		return strconv.FormatInt(seconds+h.shift.Seconds(), 10)
	}
	return keep(h, h.moved(text))
}

// moved returns a text whose dates are moved.
func (h *hider) moved(text string) string {
	return date().ReplaceAllStringFunc(text, func(one string) string {
		day, err := time.Parse(time.DateOnly, one)
		if err != nil {
			return one
		}
		return h.shift.Move(day).Format(time.DateOnly)
	})
}

var date = pattern.Of(`[0-9]{4}-[0-9]{2}-[0-9]{2}`)

// amount keeps a number of which it is known that it is no time.
func amount(h *hider, text string) string {
	for _, word := range obfuscate.Epochs(text) {
		h.amounts[word] = true
	}
	return keep(h, text)
}

// slurmsOwn is a value that says nothing of anybody.
var slurmsOwn = pattern.Of(`^[0-9.,:@TKMGPNA/%+_=*()|-]*$|^(?i:UNLIMITED|INFINITE|INVALID|Unknown|None|YES|NO|OK|UP|DOWN|DRAIN|INACTIVE|EXCLUSIVE|USER|TOPO|MCS|Partition_Limit|parent|-?inf|-?nan|x86_64|aarch64|ppc64le|riscv64|i686|armv7l|\(null\))$` +
	`|^\d+-?[KMGTP]?$|^\d+[KMGTP]?-\d+[KMGTP]?$|^[0-9.]+[kmgtKMGTP]?[bB]?[nc]?$|^\d+ (sec|min|hours?|days?)$|^\d+(\.\d+)?e[-+]\d+$|^N\([0-9.]*\)$|^[0-9]*\([0-9.]*\)$`)

// some keeps numbers and words of Slurm's own, and of anything else that it is there.
func some(h *hider, text string) string {
	if text == "" || slurmsOwn().MatchString(text) {
		return h.moved(text)
	}
	return "hidden"
}

// id keeps the number of a job, of an array's tasks such as 20_[5-20%5], or of a part such as 20+1, by as much larger as
// numbers are moved.
func id(h *hider, text string) string {
	part := jobNumber().FindStringSubmatch(text)
	if part == nil {
		return ""
	}
	number, err := strconv.ParseInt(part[1], 10, 64)
	if err != nil {
		return ""
	}
	return amount(h, strconv.FormatInt(number+h.shift.Numbers, 10)) + part[2]
}

var jobNumber = pattern.Of(`^([0-9]+)([_+][0-9xA-F\[\],:%.-]+)?$`)

// dependency keeps for which jobs a job waits, with their numbers as much larger as all.
func dependency(h *hider, text string) string {
	if isNone(text) {
		return text
	}
	if _, ok := slurm.ParseDependency(text); !ok || !ownDependency().MatchString(text) {
		return "other"
	}
	return parent().ReplaceAllStringFunc(text, func(one string) string { return ":" + id(h, one[1:]) })
}

var (
	ownDependency = pattern.Of(`^[a-z]+(:[0-9_+*]+)*(\([a-z]+\))?([,?][a-z]+(:[0-9_+*]+)*(\([a-z]+\))?)*$`)
	parent        = pattern.Of(`:[0-9]+`)
)

// isNone reports whether a text is what Slurm prints where there is nothing.
func isNone(text string) bool {
	switch text {
	case "", "(null)", "N/A", "None", "None assigned", "ALL", "NONE":
		return true
	}
	return false
}

// name returns what replaces the names of a kind.
func name(kind string) value {
	return func(h *hider, text string) string {
		trimmed := strings.TrimLeft(text, " ") // an account of sshare is indented
		if isNone(trimmed) {
			return text
		}
		return text[:len(text)-len(trimmed)] + h.names.Name(kind, trimmed)
	}
}

// numbered returns what replaces the names of a kind that have a number behind them: bob(6002).
func numbered(kind string) value {
	return func(h *hider, text string) string {
		before, _, _ := strings.Cut(text, "(")
		if isNone(text) || before == "" {
			return ""
		}
		return h.names.Name(kind, before) + "(0)"
	}
}

// nameList returns what replaces the names of a list.
func nameList(kind string) value {
	return func(h *hider, text string) string {
		parts := strings.Split(text, ",")
		for i, part := range parts {
			parts[i] = name(kind)(h, part)
		}
		return strings.Join(parts, ",")
	}
}

// access renames the names of a list of who may use something, of whom those with a minus may not. ALL and (null) stay.
func access(kind string) value {
	return func(h *hider, text string) string {
		parts := strings.Split(text, ",")
		for i, part := range parts {
			of := strings.TrimPrefix(part, "-")
			parts[i] = strings.TrimSuffix(part, of) + name(kind)(h, of)
		}
		return strings.Join(parts, ",")
	}
}

// word keeps a word of Slurm's own, such as a state, without who did it.
func word(_ *hider, text string) string {
	text, _, _ = strings.Cut(text, " by ")
	if !ownWord().MatchString(text) {
		return "Other"
	}
	return text
}

var ownWord = pattern.Of(`^[A-Za-z_+*~#!%$@^-]{0,60}$`)

// words keeps words of Slurm's own with numbers, such as FORCE:4 or DenyOnLimit,OverPartQOS.
func words(_ *hider, text string) string {
	if !ownWords().MatchString(text) && text != "(null)" {
		return "Other"
	}
	return text
}

var ownWords = pattern.Of(`^[A-Za-z_]*(:[0-9]+)?(,[A-Za-z_]+(:[0-9]+)?)*$`)

// reason keeps why a job waits where Slurm says it in its own words, with other names of the nodes in them, and so a
// list of nodes that stands in its place, as in NODELIST(REASON).
func reason(h *hider, text string) string {
	inside, before, behind := text, "", ""
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		inside, before, behind = text[1:len(text)-1], "(", ")"
	}
	said, list, names := strings.Cut(inside, "UnavailableNodes:")
	refused := refusal().FindStringSubmatch(inside)
	switch {
	case refused != nil:
		list := access("qos")
		if refused[2] == "account" {
			list = access("account")
		}
		return before + refused[1] + name("partition")(h, refused[3]) + refused[4] + list(h, refused[5]) + refused[6] + list(h, refused[7]) + ")" + behind
	case text == "" || text == "(null)":
		return text
	case before == "" && h.hasNode(inside): // which may be called as a reason is
		return nodes(h, inside)
	case names && ownReason().MatchString(said):
		return before + said + "UnavailableNodes:" + nodes(h, list) + behind
	case ownReason().MatchString(inside):
		return text
	}
	return before + "Other" + behind
}

// ownReason is a reason in words of Slurm's: one word, or one of those that have more.
var ownReason = pattern.Of(`^([A-Za-z]+([_ ](held|failed|requeued|retrieval|env|in|error|system))*|ReqNodeNotAvail,[_ ](May be reserved for other job|May_be_reserved_for_other_job|UnavailableNodes:)?` +
	`|Nodes[_ ]required[_ ]for[_ ]job[_ ]are[_ ]DOWN,[_ ]DRAINED[_ ]or[_ ]reserved[_ ]for[_ ]jobs[_ ]in[_ ]higher[_ ]priority[_ ]partitions|job[_ ]requeued[_ ]in[_ ]held[_ ]state)$`)

// refusal is why a partition does not let in a job, with the names that it lets in.
var refusal = pattern.Of(`^(Job's[_ ](QOS|account)[_ ]not[_ ]permitted[_ ]to[_ ]use[_ ]this[_ ]partition[_ ]\()(\S+?)([_ ](?:allows|denies)[_ ])(\S+?)([_ ](?:not|including)[_ ])([^ )]+)\)$`)

// hasNode reports whether a text is a list of nodes that the site has.
func (h *hider) hasNode(text string) bool {
	list, err := slurm.Hostlist(text)
	return err == nil && len(list) > 0 && h.hosts[list[0]]
}

// since keeps when the reason of a node was set.
func since(h *hider, text string) string {
	if !hiddenReason().MatchString(text) {
		return "hidden"
	}
	return h.moved(text)
}

var hiddenReason = pattern.Of(`^hidden\[user@[0-9T:-]{19}\]$`)

// slurmsKinds are the generic resources to which Slurm gives a meaning.
var slurmsKinds = map[string]bool{"gpu": true, "gpumem": true, "gpuutil": true, "mps": true, "shard": true}

// kind returns another name of a kind of generic resources, and of a model behind a colon.
func (h *hider) kind(text string) string {
	of, model, isModel := strings.Cut(strings.ToLower(text), ":")
	if !slurmsKinds[of] {
		of = h.names.Name("resource", of)
	}
	if isModel {
		of += ":" + h.names.Name("model", model)
	}
	return of
}

// tres replaces the names of licences and of kinds of gres: license/matlab=2, gres/gpu:a100=1.
func tres(h *hider, text string) string {
	if text == "(null)" {
		return text
	}
	parts := strings.Split(text, ",")
	for i, part := range parts {
		key, number, hasAmount := strings.Cut(part, "=")
		kind, rest, isNamed := strings.Cut(key, "/")
		switch {
		case isNamed && strings.EqualFold(kind, "license"):
			key = kind + "/" + licence(h, rest)
		case isNamed && namedKinds[strings.ToLower(kind)]:
			key = kind + "/" + h.kind(rest)
		case !ownKey().MatchString(key):
			key = "other"
		}
		if parts[i] = key; hasAmount {
			parts[i] += "=" + amount(h, number)
		}
	}
	return strings.Join(parts, ",")
}

// namedKinds are the kinds of resources whose names a site gives, besides licences.
var namedKinds = map[string]bool{"gres": true, "bb": true, "ic": true}

// ownKey is a resource of Slurm's own that nobody at a site names.
var ownKey = pattern.Of(`(?i)^(|cpu|mem|energy|node|billing|vmem|pages|fs/(disk|lustre))(:[0-9]+)?$`)

// licence replaces the name of a licence, by the one that tres gives it.
func licence(h *hider, text string) string { return h.names.Name("resource", strings.ToLower(text)) }

// licences replaces the names in a list of licences: matlab:4,ansys.
func licences(h *hider, text string) string {
	list, ok := sched.ParseLicences(text)
	if !ok {
		return "license"
	}
	var kept []string
	for _, l := range list {
		kept = append(kept, fmt.Sprintf("%s:%d", licence(h, l.Name), l.Total))
	}
	return cmp.Or(strings.Join(kept, ","), text)
}

// gres replaces the kinds of generic resources that a node has, gpu:a100:4(S:0-1), or that a job asks for,
// gres/gpu:a100=1.
func gres(h *hider, text string) string {
	if isNone(text) {
		return text
	}
	var kept []string
	for _, one := range strings.Split(socket().ReplaceAllString(text, ""), ",") {
		one = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(one, "gres:"), "gres/"), "=", ":")
		fields := strings.Split(one, ":")
		amount := ""
		if last := len(fields) - 1; last > 0 && isAmount().MatchString(fields[last]) {
			amount, fields = ":"+fields[last], fields[:last]
		}
		kept = append(kept, h.kind(strings.Join(fields, ":"))+amount)
	}
	return strings.Join(kept, ",")
}

// gpus replaces the model of GPUs that a job asks for: 2, a100:2 or a100.
func gpus(h *hider, text string) string {
	return strings.TrimPrefix(gres(h, "gpu:"+text), "gpu:")
}

var (
	socket   = pattern.Of(`\([^)]*\)`)
	isAmount = pattern.Of(`^[0-9]+[KMGTkmgt]?$`)
)

// nodes replaces a list of nodes.
func nodes(h *hider, text string) string {
	list, err := slurm.Hostlist(text)
	if err != nil {
		return "(null)"
	}
	for i := range list {
		list[i] = h.names.Name("host", list[i])
	}
	return strings.Join(list, ",")
}

// nodesOrNone replaces the nodes of a list, if there are any.
func nodesOrNone(h *hider, text string) string {
	if isNone(text) {
		return text
	}
	return nodes(h, text)
}

// features replaces the features in a list or in an expression such as intel&ib or [rack1*2|rack2*2].
func features(h *hider, text string) string {
	if text == "(null)" {
		return text
	}
	return feature().ReplaceAllStringFunc(text, func(one string) string {
		if one[0] == '*' || one[0] == ':' { // how many nodes of it
			return one
		}
		return h.names.Name("feature", one)
	})
}

var feature = pattern.Of(`[*:][0-9]+|[^\s,&|()\[\]*:!'"]+`)

// plugin keeps the names of Slurm's plugins.
func plugin(_ *hider, text string) string {
	if !ownPlugin().MatchString(text) && !isNone(text) {
		return "other"
	}
	return text
}

var ownPlugin = pattern.Of(`^((accounting_storage|auth|cred|jobacct_gather|preempt|priority|proctrack|sched|select|switch|task|topology)/[a-z0-9_]+(,|$))+$|^site_factor/none$`)

// parameters keeps parameters that have no value or a number.
func parameters(_ *hider, text string) string {
	var kept []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); parameter().MatchString(part) || part == "(null)" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ",")
}

var parameter = pattern.Of(`^[A-Za-z_]+(=-?[0-9]+)?$`)
