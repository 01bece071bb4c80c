package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fairshare/cmd/internal/workshop"
	"fairshare/cmd/internal/workshop/browser"
)

// cutOff returns what of a page is cut off, line by line: the page is wider than the screen, a text is not whole, a picture or its text
// reaches out or lies over another one, a number or a text is broken, a forecast or a table of few rows scrolls, a forecast has rows of many lines, a table is wider than the screen and does not scroll, or its first column goes with the others.
const cutOff = `(() => {
	const bad = [], wide = document.documentElement.clientWidth, cut = (what, e) => bad.push(what + ': ' + (e.textContent || e.id).trim().slice(0, 60));
	if (document.documentElement.scrollWidth > wide) bad.push('the page is ' + document.documentElement.scrollWidth + ' wide');
	if (/\ufffd|of Local/.test(document.body.innerText)) bad.push('a text is broken');
	const isShown = e => e.getClientRects().length > 0, isIn = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1;
	for (const e of document.querySelectorAll('td, th, figcaption, dd, dt, p, li, h1, h2, button, label, summary'))
		if (isShown(e) && getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) cut('a text is not whole', e);
	for (const e of document.querySelectorAll('canvas, svg, select, input, button, figure'))
		if (isShown(e) && !e.closest('.scroll') && !isIn(e.getBoundingClientRect(), {left: 0, right: wide})) cut('it reaches out of the page', e);
	for (const e of document.querySelectorAll('svg text'))
		if (isShown(e) && !isIn(e.getBoundingClientRect(), e.closest('svg').getBoundingClientRect())) cut('it reaches out of its picture', e);
	const boxes = [...document.querySelectorAll('.scroll, canvas, figure, form, svg')].filter(e => isShown(e) && !e.parentElement.closest('.scroll, figure'));
	boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
		const x = a.getBoundingClientRect(), y = b.getBoundingClientRect();
		if (!a.contains(b) && Math.min(x.right, y.right) - Math.max(x.left, y.left) > 1 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 1) cut('it lies over another one', a);
	}));
	for (const e of document.querySelectorAll('label code'))
		if (isShown(e) && /^[0-9.]+$/.test(e.textContent) && e.getBoundingClientRect().height > 2 * parseFloat(getComputedStyle(e).fontSize)) cut('a number is broken', e);
	if (wide >= 1280) for (const row of document.querySelectorAll('.forecast tr'))
		if (getComputedStyle(row).display !== 'flex' && row.getBoundingClientRect().height > 4 * parseFloat(getComputedStyle(row).fontSize)) cut('a row is higher than two lines', row);
	for (const table of document.querySelectorAll('table')) {
		const box = table.closest('.scroll');
		if (!isShown(table)) continue;
		if (!box && table.getBoundingClientRect().right > wide + 1) cut('a table does not scroll', table);
		if (!box || box.scrollWidth <= box.clientWidth) continue;
		if (table.classList.contains('blocks')) cut('a table scrolls whose rows could be blocks', table);
		if (wide > 1900 && table.rows[0].cells.length < 16) cut('a table is cut off on a large screen', table);
		if (box.tabIndex !== 0) cut('a table does not scroll by keys', table);
		if (getComputedStyle(box).backgroundImage === 'none') cut('a table has no sign that it scrolls', table);
		box.scrollLeft = box.scrollWidth;
		const cells = [...table.rows].filter(isShown).map(r => r.cells[0]).filter(c => c.colSpan === 1);
		for (const cell of cells) if (cell.getBoundingClientRect().left < box.getBoundingClientRect().left - 1) { cut('the first column goes', table); break; }
		box.scrollLeft = 0;
	}
	return bad.join('\n');
})()`

// Nothing of any page is cut off on a phone, a tablet, a laptop or a large screen.
func TestPageWidths(t *testing.T) {
	workshop.Long(t)
	const data = "../../../testdata/"
	dir := t.TempDir()
	pages := map[string][]string{
		"compare":       {"compare", data + "snapshots/snapshot_20261121_10_00_00.tgz", "--set", "group1.shares=60"},
		"shares":        {"shares", data + "replay/P2/snapshot"},
		"replay":        {"replay", data + "replay/P2/snapshot", "--tz", "UTC", "--set", "server.backfill_depth=0", "--why"},
		"runs":          {"replay", data + "replay/P2/snapshot", "--tz", "UTC", "--set", "server.backfill_depth=0", "--runs", "3"},
		"slurm-replay":  {"replay", data + "slurm-replay/S3a/site.tgz", data + "slurm-replay/S3a/sacct.txt.gz", "--set", "bf_interval=30"},
		"slurm-compare": {"compare", data + "slurm-now/24.11-busy.tgz", "--set", "PriorityWeightAge=0"},
		"by day":        {"history", data + "replay/L1/snapshot", "--tz", "UTC", "--by", "day"},
		"by day,user":   {"history", data + "replay/L1/snapshot", "--tz", "UTC", "--by", "day,user", "--top", "3", "--title", strings.Repeat("a long title ", 20)},
		"by group":      {"history", data + "replay/L1/snapshot", "--tz", "UTC", "--by", "group", "--resource", "ngpus"},
		"by month":      {"history", data + "slurm-site/t2_busy.tgz", data + "slurm-site/sacct-all.txt.gz", "--by", "month,account"},
		"budgets":       {"history", data + "replay/L1/snapshot", "--tz", "UTC", "--budget", "../../../docs/budgets.csv"},
		"when":          {"when", data + "moments/snapshot_20260302_14_45_00.tgz", "--tz", "UTC", "--runs", "5"},
		"user":          {"when", data + "moments/snapshot_20260302_14_45_00.tgz", "--tz", "UTC", "--runs", "5", "--user", "alice"},
		"held":          {"when", data + "slurm-site/t2_busy.tgz", "--runs", "5", "--logs", data + "slurm-site/sacct-all.txt.gz", "--user", "alice"},
		"submit":        {"when", data + "moments/snapshot_20260302_14_45_00.tgz", "--tz", "UTC", "--runs", "5", "--user", "alice", "--submit", "select=1:ncpus=24,walltime=4:00:00", "--queue", "lowq", "--where"},
		"slurm-when":    {"when", data + "slurm-now/24.11-busy.tgz", "--runs", "5", "--classic", "--where"},
		"sacct-when":    {"when", data + "slurm-site/t2_busy.tgz", "--runs", "5", "--logs", data + "slurm-site/sacct-all.txt.gz"},
	}
	for name, args := range pages {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name+".html")
			var stdout, stderr bytes.Buffer
			if code := run(append(args, "--html", file), strings.NewReader(""), &stdout, &stderr); code != exitFine && code != exitPartly && code != 1 {
				t.Fatalf("status %d: %s", code, stderr.String())
			}
			checkWidths(t, browser.Open(t, 1280, 900), "file://"+file, func(tab *browser.Tab) {
				browser.Eval[int](tab, "[...document.querySelectorAll('.all')].map(d => d.click()).length")
			})
		})
	}
}

// checkWidths checks a page at all widths, once something is done with it.
func checkWidths(t *testing.T, tab *browser.Tab, address string, do func(tab *browser.Tab)) {
	t.Helper()
	for _, width := range []int64{380, 768, 1280, 1920} {
		tab.Do(chromedp.Navigate("about:blank"), chromedp.EmulateViewport(width, 900), chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS("main > *")))
		browser.Eval[int](tab, "[...document.querySelectorAll('details')].map(d => d.open = true).length")
		do(tab)
		tab.Do(chromedp.WaitReady(chromedp.CSS("main > *")))
		if bad := browser.Eval[string](tab, cutOff); bad != "" {
			t.Errorf("%d px:\n%s", width, bad)
		}
	}
}

// Nothing of the lab's pages is cut off either, with two jobs that are compared.
func TestLabWidths(t *testing.T) {
	workshop.Long(t)
	for _, site := range []string{labSite, labSlurmSite} {
		t.Run(site, func(t *testing.T) {
			tab := browser.Open(t, 1280, 900)
			checkWidths(t, tab, openLab(t, site), func(tab *browser.Tab) {
				tab.Do(chromedp.WaitReady("[data-ready=yes]"))
				browser.Eval[int](tab, "[...document.querySelectorAll('#order button[data-job]')].slice(1, 3).map(b => b.click()).length")
				tab.Do(chromedp.WaitReady("#versus"))
			})
		})
	}
}
