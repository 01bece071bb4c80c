package sched

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// VersionRule is a rule that Slurm has had since a version, and what it did before.
type VersionRule struct {
	Since        [2]int // year and month
	Is, Was      string
	isOfBackfill bool
}

// VersionRules are the rules that differ between the versions of Slurm from 22.05 on, the oldest first. The order of
// the queue is the same in all of them.
var VersionRules = []VersionRule{
	{Since: [2]int{22, 6}, Is: "UsageFactorSafe leaves MaxWall as it is", Was: "UsageFactorSafe multiplies time limits for MaxWall"},
	{Since: [2]int{23, 11}, Is: "passes are made at the begin of a second", Was: "passes are made at any time of a second"},
	{Since: [2]int{24, 5}, Is: "MaxTRESRunMinsPU and MaxTRESRunMinsPA of QOS hold", Was: "MaxTRESRunMinsPU and MaxTRESRunMinsPA of QOS hold nobody"},
	{Since: [2]int{24, 11}, Is: "backfill rounds the ends of plans up to bf_resolution, and looks for starts in one span of its plan after the other", Was: "backfill rounds the ends of plans down to bf_resolution", isOfBackfill: true},
}

// releases are the versions whose rules are known, the oldest first.
var releases = [][2]int{{22, 5}, {23, 2}, {23, 11}, {24, 5}, {24, 11}, {25, 5}}

// Versions that are known: the first and the last of which a real slurmctld was recorded.
var oldestVersion, newestVersion = releases[0], releases[len(releases)-1]

// ParseVersion reads a version such as 24.11 or 24.11.7.
func ParseVersion(text string) (v [2]int, err error) {
	if _, err := fmt.Sscanf(text, "%d.%d", &v[0], &v[1]); err != nil || v[0] < 1 || v[0] > 99 || v[1] < 1 || v[1] > 12 {
		return [2]int{}, fmt.Errorf("%q is no version of Slurm, such as 24.11", text)
	}
	return v, nil
}

// CheckVersion returns an error for a version whose rules are not known, or that there is not.
func CheckVersion(v [2]int) error {
	if slices.Compare(v[:], oldestVersion[:]) < 0 || isTooNew(v) {
		return fmt.Errorf("the rules of this version are not known, those of Slurm %s to %s are", VersionText(oldestVersion), VersionText(newestVersion))
	}
	if slices.Contains(releases, v) {
		return nil
	}
	var names []string
	for _, r := range releases {
		names = append(names, VersionText(r))
	}
	return errors.New(report.NoSuch("release of Slurm", fmt.Sprintf("%d.%d", v[0], v[1]), names))
}

// isTooNew reports whether a version is newer than any that is known.
func isTooNew(v [2]int) bool { return slices.Compare(v[:], newestVersion[:]) > 0 }

// SayOrder returns a note that jobs may have another order under a version that is newer than any that is known, nil for
// one that is not.
func SayOrder(v [2]int) []diag.Remark {
	if !isTooNew(v) {
		return nil
	}
	return []diag.Remark{diag.Notef("Slurm %s is newer than any version that is known here: the order is that of %s", VersionText(v), VersionText(newestVersion))}
}

// VersionText returns a version as Slurm writes it.
func VersionText(v [2]int) string { return fmt.Sprintf("%d.%02d", v[0], v[1]) }

// UseVersion makes the rules those of a version of Slurm.
func (s *Setup) UseVersion(v [2]int) {
	s.Version = v
	if s.Backfill != nil {
		b := *s.Backfill
		b.IsBySpan = s.IsBySpan()
		s.Backfill = &b
	}
}

// versionRules returns the rules by which versions differ, in the order of VersionRules, as they are in the setup's.
func (s *Setup) versionRules() (is []string) {
	for _, r := range VersionRules[1:] { // no recorded version is older than the first
		text := r.Was
		if s.isFrom(r.Since[0], r.Since[1]) {
			text = r.Is
		}
		if !r.isOfBackfill || s.Backfill != nil {
			is = append(is, text)
		}
	}
	return is
}

// NewRules says what another version of Slurm does otherwise than that of a setup, nil where both are of one version.
func (s *Setup) NewRules(before *Setup) []diag.Remark {
	if s.Version == before.Version {
		return nil
	}
	var differ []string
	were := before.versionRules()
	for _, is := range s.versionRules() {
		if !slices.Contains(were, is) {
			differ = append(differ, is)
		}
	}
	if differ == nil {
		return []diag.Remark{diag.Warningf("Slurm %s has the rules that the site has now, as far as they are known here: the version changes nothing", VersionText(s.Version)).OfAsked()}
	}
	return []diag.Remark{diag.Notef("what the rules of Slurm %s change: %s", VersionText(s.Version), strings.Join(differ, "; "))}
}

// Rules says of which version of Slurm the rules are, and what they are where versions differ.
func (s *Setup) Rules() diag.Remark {
	rules := "; " + strings.Join(s.versionRules(), "; ")
	switch {
	case s.Version[0] == 0:
		return diag.Notef("nothing tells the version of Slurm (SLURM_VERSION in scontrol show config): the rules are those of %s%s", VersionText(oldestVersion), rules).
			Joined(diag.NotKnown, "the version of Slurm (SLURM_VERSION in scontrol show config), so that the rules are those of %s", VersionText(oldestVersion))
	case isTooNew(s.Version):
		return diag.Notef("Slurm %s is newer than any version that is known here: the rules are those of %s%s", VersionText(s.Version), VersionText(newestVersion), rules)
	case s.IsOlderThan(oldestVersion[0], oldestVersion[1]):
		return diag.Notef("Slurm %s is older than any version that is known here: the rules are those of %s%s", VersionText(s.Version), VersionText(oldestVersion), rules)
	}
	return diag.Generalf("the rules are those of Slurm %s%s", VersionText(s.Version), rules)
}
