package pbs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

var resourceTypes = []formula.Type{formula.Long, formula.Float64, formula.Size, formula.Boolean, formula.String, formula.StringArray}

// ownTypes are the types of the resources that PBS has by itself, or in its documentation.
var ownTypes = func() map[string]formula.Type {
	types := map[string]formula.Type{}
	for t, names := range map[formula.Type]string{
		formula.Long: "cpupercent cpupct mpiprocs naccelerators nchunk ncpus ngpus nice nodect ompthreads ppn size start_time",
		formula.Size: "accelerator_memory file hbmem mem pmem pvmem vmem", formula.Float64: "energy", formula.Boolean: "accelerator",
		formula.Duration: "cput max_walltime min_walltime pcput soft_walltime walltime",
		formula.String: `accelerator_group accelerator_model aoe arch eoe exec_vnode host netwins nodes opsys place preempt_targets select site
			software vnode vntype`,
	} {
		for _, name := range strings.Fields(names) {
			types[name] = t
		}
	}
	return types
}()

// permanentResources are those of them that each PBS has defined, so that nobody creates or deletes them.
var permanentResources = strings.Fields("arch cput host mem mpiprocs ncpus nodect ompthreads place select vmem vnode walltime")

// ownResources are these resources, and whether their values are words: what says where chunks go is none.
var ownResources = func() map[string]bool {
	own := map[string]bool{}
	for name, t := range ownTypes {
		own[name] = t == formula.String && !slices.Contains([]string{"nodes", "place", "select"}, name)
	}
	return own
}()

// chunkResources are the resources of PBS's own that a job without a select asks for of each host.
var chunkResources = strings.Fields(`accelerator accelerator_group accelerator_memory accelerator_model aoe arch eoe hbmem host mem mpiprocs naccelerators ncpus
	netwins ngpus ompthreads vmem vnode vntype`)

// IsOfChunks reports whether PBS makes a chunk of a resource that a job asks for without a select: one of the site's own whose
// flag has an h, or one of these that PBS has by itself.
func (s *Site) IsOfChunks(resource string) bool {
	if _, isOfSite := s.Resources[resource]; isOfSite {
		return strings.Contains(s.Flags[resource], "h")
	}
	return slices.Contains(chunkResources, resource)
}

// OwnResource reports whether PBS has a resource by itself, and whether its values are words.
func OwnResource(name string) (isOfWords, ok bool) {
	isOfWords, ok = ownResources[name]
	return isOfWords, ok
}

// NearResource returns the resource of PBS's own, or the one of some other words, as which a name is nearly spelled, "" for none.
func NearResource(name string, others ...string) string {
	const shortest = 4 // letters, of names of which a wrong one may be told
	if own := calledElsewhere(name); own != "" {
		return own
	}
	if len(name) < shortest {
		return ""
	}
	return report.Typo(name, slices.AppendSeq(slices.Clone(others), maps.Keys(ownResources)))
}

// calledElsewhere returns the resource of PBS's own that other schedulers and people call by another name, "" for any other name.
func calledElsewhere(name string) string {
	switch name {
	case "time", "wall", "wtime":
		return "walltime"
	case "cpu", "cpus":
		return "ncpus"
	case "gpu", "gpus":
		return "ngpus"
	case "memory":
		return "mem"
	}
	return ""
}

// CheckResource returns what is wrong with the name of a resource: neither PBS nor the
// site has it. Where the site's own resources are not known nothing is.
func (s *Site) CheckResource(name string, others ...string) error {
	return checkResource(s.Resources, name, others...)
}

// checkResource is CheckResource for a site's own resources, nil where they are not known.
func checkResource(ofSite map[string]formula.Type, name string, others ...string) error {
	_, isOwn := ownResources[name]
	_, isOfSite := ofSite[name]
	if isOwn || isOfSite || ofSite == nil || slices.Contains(others, name) {
		return nil
	}
	if own := calledElsewhere(name); own != "" {
		return fmt.Errorf("there is no resource %s%s", name, report.Meant(own))
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(ofSite)), maps.Keys(ownResources))
	return errors.New(report.NoSuch("resource", name, names))
}

// readResources reads the site's resources and their types, as qmgr's "list
// resource" or "print resource" prints them, or "print server" among others. It is
// an error if the text is none of these.
func (s *Site) readResources(from file.Source) ([]diag.Remark, error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, err
	}
	objects, remarks := ParseObjects(from.Name, text)
	if len(objects) == 0 && strings.TrimSpace(text) != "" {
		return nil, fmt.Errorf("%s names no resource: it is not qmgr's \"list resource\" or \"print resource\"", from.Name)
	}
	remarks = append(remarks, sayUnknown(from.Name, objects, "resource")...)
	resources, problems := resourcesOf(objects)
	s.Resources, s.Flags = resources, flagsOf(objects)
	for _, p := range problems {
		remarks = append(remarks, diag.Damagef("%s: %v", from.Name, p).At(from.Name, p.Line))
	}
	return remarks, nil
}

// flagsOf returns the flags of resources among a site's objects.
func flagsOf(objects []*Object) map[string]string {
	flags := map[string]string{}
	for _, o := range objects {
		for _, a := range o.Attributes {
			if o.Kind == "resource" && a.Name == "flag" {
				flags[o.Name] = strings.Trim(a.Value, quotes)
			}
		}
	}
	return flags
}

// resourcesOf returns the resources among a site's objects.
func resourcesOf(objects []*Object) (map[string]formula.Type, []*file.Problem) {
	resources := map[string]formula.Type{}
	var problems []*file.Problem
	for _, o := range objects {
		if o.Kind != "resource" {
			continue
		}
		for _, a := range o.Attributes {
			switch {
			case a.Name != "type":
			case o.Name == "" || !slices.Contains(resourceTypes, formula.Type(strings.Trim(a.Value, quotes))):
				problems = append(problems, &file.Problem{Line: a.Line, Message: fmt.Sprintf("%s is not a resource type", strconv.Quote(a.Value))})
			default:
				resources[o.Name] = formula.Type(strings.Trim(a.Value, quotes))
			}
		}
	}
	return resources, problems
}

// checkResources says which types and flags of resources among the objects of a file qmgr refuses.
func (g *given) checkResources(from file.Source) {
	_, problems := resourcesOf(g.touched)
	for _, o := range g.touched {
		for _, a := range o.Attributes {
			if o.Kind != "resource" || a.Name != "flag" {
				continue
			}
			if why := wrongFlags(strings.Trim(a.Value, quotes)); why != "" {
				problems = append(problems, &file.Problem{Line: a.Line, Message: fmt.Sprintf("flag of %s does not count: %s", o, why)})
			}
		}
	}
	for _, p := range problems {
		g.remarks = append(g.remarks, diag.Damagef("%s: %v", from.Name, p).At(from.Name, p.Line))
	}
}

// wrongFlags says what is wrong with the flags of a resource, "" for nothing.
func wrongFlags(flags string) string {
	const all = "fhimnqr"
	switch wrong := strings.Trim(flags, all); {
	case wrong != "":
		return fmt.Sprintf("%q is none of the flags h, f, n, q, i, m and r", wrong)
	case strings.Contains(flags, "f") && strings.Contains(flags, "n"):
		return "f and n exclude each other"
	}
	return ""
}
