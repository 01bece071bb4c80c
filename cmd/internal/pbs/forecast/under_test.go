package forecast

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/workshop"
)

// under returns a site under settings.
func under(tb testing.TB, s *Site, settings ...string) (*Site, error) {
	tb.Helper()
	changed, err := s.Site.WithReplayed(settings)
	if err != nil {
		tb.Fatal(err)
	}
	plan, _, err := order.NewPlan(changed, order.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	of, _, err := s.Under(changed, plan)
	return of, err
}

// startsOf returns when the jobs of a site start, and their places in the first cycle.
func startsOf(tb testing.TB, s *Site) string {
	tb.Helper()
	f, err := forecastOf(s, forecast.Options{Runs: 3, Seed: 1, Horizon: 2 * day})
	if err != nil {
		tb.Fatal(err)
	}
	var starts []string
	for _, j := range f.Jobs {
		starts = append(starts, fmt.Sprint(j.ID, j.Drawn, j.Place, j.Reason))
	}
	slices.Sort(starts)
	return strings.Join(starts, "\n")
}

// Each setting that a replay knows makes of a forecast what it makes of that of a site which has had it all
// along.
func TestEverySettingUnder(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	dir := filepath.Join(moments, "snapshot_20260302_14_45_00.tgz")
	s := open(t, dir, true)
	changing := 0
	without := map[string]string{}
	for setting, value := range studytest.Settings {
		var beside []string
		for _, other := range studytest.Beside[setting] {
			entity, _, isShares := strings.Cut(other, ".shares=")
			if _, isThere := s.Site.SchedPriv.Tree.Lookup(entity); !isShares || isThere {
				beside = append(beside, strings.ReplaceAll(other, "11:", "15:"))
			}
		}
		all := append(slices.Clip(beside), setting+"="+value)
		of, err := under(t, s, all...)
		if err != nil {
			t.Errorf("%s: %v", setting, err)
			continue
		}
		got := startsOf(t, of)
		if !strings.Contains(fmt.Sprint(beside), "node.") { // which is of Under alone
			if want := startsOf(t, open(t, dir, true, all...)); got != want {
				t.Errorf("%s=%s: a forecast under it is not that of a site which has it\n%s\n\n%s", setting, value, got, want)
			}
		}
		key := fmt.Sprint(beside)
		if without[key] == "" {
			of, err := under(t, s, beside...)
			if err != nil {
				t.Fatal(err)
			}
			without[key] = startsOf(t, of)
		}
		if got != without[key] {
			changing++
		}
	}
	if changing < 50 {
		t.Errorf("only %d of %d settings change starts", changing, len(studytest.Settings))
	}
}

// Vnodes that come or go and reservations make jobs start sooner and later in runs in which the same is to
// come, a setting that is as it was moves none, and what cannot be from now on is refused.
func TestUnder(t *testing.T) {
	s := open(t, filepath.Join(moments, "snapshot_20260302_14_45_00.tgz"), true)
	for _, test := range []struct {
		setting string
		sign    float64
	}{
		{"sched.strict_ordering=false", 0},
		{"nodes.added=4xn01", 1},
		{"node.n0*.offline=2026-03-02 14:00/2026-03-03 14:00", -1},
		{"node.n0*.down=2026-03-02 15:00/2026-03-03 14:00", -1},
		{"reservation.maint=2026-03-02 15:00/2026-03-03 14:00 on n0*", -1},
	} {
		of, err := under(t, s, test.setting)
		if err != nil {
			t.Fatal(err)
		}
		f, err := forecast.MakeAgainst(context.Background(), of, s, forecast.Options{Runs: 6, Seed: 1, Horizon: 4 * day})
		if err != nil {
			t.Fatal(err)
		}
		sum, unlike := 0., 0
		for _, j := range f.Jobs {
			if j.Shift == nil {
				t.Fatalf("%s: %s is not compared", test.setting, j.ID)
			}
			if sum += j.Shift.Sooner; j.Shift.Sooner*test.sign < 0 {
				unlike++
			}
		}
		if sum*test.sign < 0 || sum == 0 && test.sign != 0 || sum != 0 && test.sign == 0 || unlike > len(f.Jobs)/5 {
			t.Errorf("%s: %.0f s sooner in all; %d of %d jobs the other way", test.setting, sum, unlike, len(f.Jobs))
		}
	}
	for setting, want := range map[string]string{
		"nodes.removed=n01": "runs on n01",
		"nodes.removed=q*":  "there is no vnode q*",
		"node.n01.down=2026-03-02 12:00/2026-03-02 14:45":        "that time is over",
		"reservation.x=2026-03-02 12:00/2026-03-02 14:00 on n01": "that time is over",
		"reservation.R99=none":                                   "there is no reservation R99",
		"server.max_run=[u:alicee=2]":                            "did you mean alice?",
		"walltime=1.2*used":                                      "not known of those that wait",
		"nodes.added=2xn99":                                      "is not a number of cpus",
	} {
		if _, err := under(t, s, setting); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", setting, err, want)
		}
	}
	of, err := under(t, s, "nodes.added=1xn01")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := of.History(""); err == nil {
		t.Error("a forecast of the past has vnodes that there were not")
	}
}
