package accrual

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/trace"
)

// IsInLogs reports whether accounting logs tell the attribute that names entities.
func IsInLogs(attribute string) bool {
	return slices.Contains([]string{"euser", "egroup", "egroup:euser", "Account_Name", "project", "queue"}, attribute)
}

// Party returns the kind of names that entities have where fairshare_entity is attribute, as a
// report by user or group has it; "" for pairs of names.
func Party(attribute string) string {
	return map[string]string{"euser": "user", "egroup": "group", "Account_Name": "account", "project": "project", "queue": "queue"}[attribute]
}

// EntityOf returns the name of a job's entity, where fairshare_entity is attribute.
func EntityOf(t *trace.Trace, j *trace.Job, attribute string) string {
	name := func(of int32) string { return t.Names.List[of] }
	pair := name(j.Group) + ":" + name(j.User)
	switch attribute {
	case "euser":
		return name(j.User)
	case "egroup":
		return cmp.Or(name(j.Group), pair)
	case "Account_Name":
		return cmp.Or(name(j.Account), pair)
	case "project":
		return cmp.Or(name(j.Project), pair)
	case "queue":
		return cmp.Or(name(j.Queue), pair)
	}
	return pair
}
