package sched

import (
	"strings"
	"testing"
)

// TestRulesOfVersions asks for the rules of versions, and for those of which nothing is known.
func TestRulesOfVersions(t *testing.T) {
	for text, want := range map[string]string{
		"22.05.8": "the rules are those of Slurm 22.05; passes are made at any time of a second; MaxTRESRunMinsPU and MaxTRESRunMinsPA of QOS hold nobody; backfill rounds the ends of plans down",
		"24.05":   "the rules are those of Slurm 24.05; passes are made at the begin of a second; MaxTRESRunMinsPU and MaxTRESRunMinsPA of QOS hold; backfill rounds the ends of plans down",
		"24.11.7": "the rules are those of Slurm 24.11; passes are made at the begin of a second; MaxTRESRunMinsPU and MaxTRESRunMinsPA of QOS hold; backfill rounds the ends of plans up",
		"25.11":   "Slurm 25.11 is newer than any version that is known here: the rules are those of 25.05;",
		"21.08":   "Slurm 21.08 is older than any version that is known here: the rules are those of 22.05;",
		"":        "nothing tells the version of Slurm (SLURM_VERSION in scontrol show config): the rules are those of 22.05;",
	} {
		b := DefaultBackfill()
		s := &Setup{Backfill: &b}
		v, err := ParseVersion(text)
		if (err != nil) != (text == "") {
			t.Error(text, err)
		}
		s.UseVersion(v)
		if got := s.Rules().Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if isUp := strings.Contains(s.Rules().Text, "plans up"); s.Backfill.IsBySpan != isUp {
			t.Errorf("%s: plans are rounded up: %v", text, s.Backfill.IsBySpan)
		}
	}
	for _, text := range []string{"24", "24.13", "x", "0.5", "24.x"} {
		if _, err := ParseVersion(text); err == nil {
			t.Errorf("%s is a version", text)
		}
	}
}

// TestCheckVersion asks for the rules of each month: those of a release are known, and no others.
func TestCheckVersion(t *testing.T) {
	known := "22.05 23.02 23.11 24.05 24.11 25.05"
	for year := 21; year <= 26; year++ {
		for month := 1; month <= 12; month++ {
			v := [2]int{year, month}
			if err := CheckVersion(v); (err == nil) != strings.Contains(known, VersionText(v)) {
				t.Errorf("%s: %v", VersionText(v), err)
			}
		}
	}
	for text, want := range map[string]string{
		"24.1":  "there is no release of Slurm 24.1; did you mean 24.11?",
		"24.10": "there is no release of Slurm 24.10; did you mean 24.11?",
		"23.03": "there is no release of Slurm 23.3; did you mean 23.02?",
		"25.11": "the rules of this version are not known, those of Slurm 22.05 to 25.05 are",
	} {
		v, err := ParseVersion(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckVersion(v); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestNewRules asks what an update changes.
func TestNewRules(t *testing.T) {
	for _, test := range [][3]string{
		{"22.05", "23.02", "the version changes nothing"},
		{"23.02", "23.11", "what the rules of Slurm 23.11 change: passes are made at the begin of a second"},
		{"24.05", "24.11", "what the rules of Slurm 24.11 change: backfill rounds the ends of plans up to bf_resolution, and looks for starts in one span of its plan after the other"},
		{"24.11", "24.05", "what the rules of Slurm 24.05 change: backfill rounds the ends of plans down to bf_resolution"},
		{"24.11", "25.05", "the version changes nothing"},
		{"24.11", "24.11", ""},
	} {
		of := func(text string) *Setup {
			b := DefaultBackfill()
			s := &Setup{Backfill: &b}
			v, err := ParseVersion(text)
			if err != nil {
				t.Fatal(err)
			}
			s.UseVersion(v)
			return s
		}
		remarks := of(test[1]).NewRules(of(test[0]))
		if (len(remarks) > 0) != (test[2] != "") || len(remarks) > 0 && !strings.HasSuffix(remarks[0].Text, test[2]) {
			t.Errorf("%s to %s: %v", test[0], test[1], remarks)
		}
	}
}

// TestLimitsOfVersions asks which limits a ledger knows.
func TestLimitsOfVersions(t *testing.T) {
	for text, holds := range map[string]bool{"23.11": false, "24.05": true} {
		s := &Setup{Cluster: &Cluster{}, QOS: []QOS{{Limits: Limits{UserRunMinutes: Amounts{1}}}}}
		s.Version, _ = ParseVersion(text)
		if got := NewLedger(s).qos[0].Limits.UserRunMinutes != nil; got != holds {
			t.Errorf("%s: MaxTRESRunMinsPU holds: %v", text, got)
		}
		if s.QOS[0].Limits.UserRunMinutes == nil {
			t.Errorf("%s: the limit is gone", text)
		}
	}
}
