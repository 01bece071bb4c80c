package page

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
	"fairshare/cmd/internal/workshop/browser"

	"github.com/chromedp/chromedp"
)

// sample is a change of n jobs of some entities in three queues.
func sample(n, entities int) Data {
	random := rand.New(rand.NewPCG(1, 2))
	c := &Compare{Old: "ncpus", New: `</script><script>document.title = "broken out"</script>`, From: "jobs.json, 2026-11-21 10:00:00 UTC",
		Summary: []Figure{{"jobs", "jobs", fmt.Sprint(n)}, {"tau", "Kendall's tau-b", "0.244"}}}
	user, entity, queue := Party{Name: "User"}, Party{Name: "Entity"}, Party{Name: "Queue", Names: []string{"low", "mid", "high"}}
	for i := range entities {
		user.Names = append(user.Names, fmt.Sprintf("user%d", i))
		entity.Names = append(entity.Names, fmt.Sprintf("entity%d", i))
		entity.Shifts = append(entity.Shifts, Shift{i, 1, float64(i - entities/2)})
	}
	c.Parties = []Party{user, entity, queue}
	for i, now := range random.Perm(n) {
		c.Jobs = append(c.Jobs, Job{ID: fmt.Sprintf("%d.server", i), Old: i + 1, New: now + 1, OldValue: "1.5", NewValue: "-2", Parties: []int32{int32(i % entities), int32(i % entities), int32(i % 3)}})
	}
	c.Jobs[0].New = 0
	return Data{Title: "A change", Compare: c, Trees: []Tree{sampleTree(1), sampleTree(50_000)}}
}

// sampleTree is a root, two groups, and n entities in each.
func sampleTree(n int) Tree {
	t := Tree{Title: "Tree", Nodes: []Node{{"TREEROOT", 0, 1, ""}, {"group1", 0, .25, ""}, {"group2", 0, .75, ""}}, Colors: []Color{{"pbs", []Ratio{Ratio(math.NaN()), 2, .5}}}}
	for i := range n {
		for g := 1; g <= 2; g++ {
			t.Nodes = append(t.Nodes, Node{fmt.Sprintf("e%d", i), g, t.Nodes[g].Width / float64(n), ""})
			t.Colors[0].Used = append(t.Colors[0].Used, Ratio(float64(g)))
		}
	}
	return t
}

// A node that is just as thick as the thinnest is one of its own.
func TestPruneThinnest(t *testing.T) {
	for width, want := range map[float64]int{1. / 2500: 3, 1. / 2501: 2} {
		tree := Tree{Nodes: []Node{{"TREEROOT", 0, 1, ""}, {"thick", 0, .5, ""}, {"thin", 0, width, ""}}}
		own := 0
		for _, n := range tree.prune().Nodes {
			if n.Name == "thin" || n.Name == "thick" || n.Name == "TREEROOT" {
				own++
			}
		}
		if own != want {
			t.Errorf("width %v: %d nodes of their own, want %d", width, own, want)
		}
	}
}

func TestPrune(t *testing.T) {
	small := sampleTree(3).prune()
	if len(small.Nodes) != 9 {
		t.Errorf("%d nodes of 9", len(small.Nodes))
	}
	large := sampleTree(10_000).prune()
	if len(large.Nodes) != 5 || large.Nodes[3].Name != "… 10000 more" || large.Nodes[4].Parent != 2 || math.Abs(large.Nodes[4].Width-.75) > 1e-9 {
		t.Errorf("%+v", large.Nodes)
	}
	if used := large.Colors[0].Used; len(used) != 5 || math.Abs(float64(used[4])-2) > 1e-9 {
		t.Errorf("%v", used)
	}
}

// TestSize: 100,000 jobs stay below 15 MB.
func TestSize(t *testing.T) {
	text, err := Render(sample(100_000, 300))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 15<<20 {
		t.Errorf("%d bytes", len(text))
	}
	if n := bytes.Count(text, []byte("</script>")); n != 2 {
		t.Errorf("%d ends of scripts: data can break out", n)
	}
	if external := regexp.MustCompile(`(src|href)=|url\(|https?://`).Find(text); external != nil {
		t.Errorf("the page refers to something elsewhere: %s", external)
	}
}

func TestMain(m *testing.M) { browser.Main(m) }

// loaded returns what a page has in it once it is drawn.
func loaded(tab *browser.Tab, address string) string {
	tab.Do(chromedp.Navigate("about:blank")) // so that another choice in the address loads the page anew
	tab.Go(address)
	return browser.Eval[string](tab, "document.documentElement.outerHTML")
}

// written writes a page into a file and returns its address.
func written(t *testing.T, d Data) string {
	t.Helper()
	text, err := Render(d)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// TestInBrowser opens a page and reads numbers off it.
func TestInBrowser(t *testing.T) {
	tab := browser.Open(t, 800, 600)
	small := written(t, sample(30, 5))
	dom := loaded(tab, small)
	for _, want := range []string{
		`data-ready="yes"`, `<b id="jobs">30</b>`, `<b id="tau">0.244</b>`, `<code id="old">ncpus</code>`,
		"30 jobs shown in 30 lines, 29 move, 1 are considered in one order only.", `data-jobs="30"`, `<dd id="from">jobs.json, 2026-11-21 10:00:00 UTC</dd>`, `data-colours="5"`, `<title>A change</title>`, "&lt;/script&gt;",
	} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if rows := strings.Count(dom[strings.Index(dom, `<tbody id="moves">`):], "<tr>"); rows != 30 {
		t.Errorf("%d rows of moves", rows)
	}
	// The choice stands in the address: job 1, 6, … are user1's, every third is in queue mid.
	dom = loaded(tab, small+"#user=user1&queue=mid")
	if !strings.Contains(dom, "2 jobs shown in 2 lines") {
		t.Errorf("filtered: %s", regexp.MustCompile(`[0-9]+ jobs shown[^<]*`).FindString(dom))
	}
	// Nothing to show is no error.
	for name, d := range map[string]Data{"no trees": {Title: "x", Compare: &Compare{}}, "no compare": {Title: "x"}} {
		if dom := loaded(tab, written(t, d)); !strings.Contains(dom, `data-ready="yes"`) {
			t.Errorf("%s: the page does not get to its end", name)
		}
	}
}

// TestLarge opens pages of many jobs and entities.
func TestLarge(t *testing.T) {
	workshop.Long(t)
	tab := browser.Open(t, 800, 600)
	// Of 10,000 jobs no more lines are drawn than can be told apart, and of
	// 100,000 entities no more boxes.
	dom := loaded(tab, written(t, sample(10_000, 40)))
	if !strings.Contains(dom, `data-jobs="10000"`) || strings.Contains(dom, `data-lines="10000"`) {
		t.Errorf("large: %s", regexp.MustCompile(`[0-9]+ jobs shown[^<]*`).FindString(dom))
	}
	if drawn := regexp.MustCompile(`id="tree1"[^>]*data-drawn="(\d+)"`).FindStringSubmatch(dom); drawn == nil || drawn[1] != "5" {
		t.Errorf("boxes of the large tree: %v", drawn)
	}

	// Of 1,000 entities the lines have the colours of the queues, and of the
	// entities on request: those with the most jobs, and one for the others.
	many := written(t, sample(5_000, 1000))
	for address, want := range map[string]string{many: `data-colours="3"`, many + "#colour=entity": `data-colours="12"`, many + "#entity=entity7&colour=user": `data-colours="1"`} {
		if dom := loaded(tab, address); !strings.Contains(dom, want) {
			t.Errorf("%s: %s, want %s", address, regexp.MustCompile(`data-colours="[0-9]*"`).FindString(dom), want)
		}
	}
	// Trees stand above the long table.
	if tree, moves := strings.Index(dom, `id="tree0"`), strings.Index(dom, `id="moves"`); tree < 0 || moves < tree {
		t.Errorf("the tree begins at %d, the table at %d", tree, moves)
	}
}

// TestPictures takes screenshots of pages.
func TestPictures(t *testing.T) {
	workshop.Long(t)
	small, large := written(t, sample(30, 5)), written(t, sample(10_000, 40))
	light := picture(t, large, 1100, 1500)
	dark := picture(t, large, 1100, 1500, browser.Dark())
	narrow := picture(t, small, 360, 1500)
	if l, d := brightness(light), brightness(dark); l < .75 || d > .4 {
		t.Errorf("brightness %.2f in light, %.2f in dark", l, d)
	}
	// Lines and boxes are coloured, text and background are not.
	for name, img := range map[string]image.Image{"light": light, "dark": dark, "narrow": narrow} {
		if part := coloured(img); part < .025 {
			t.Errorf("%s: only %.3f of the page is coloured, nothing is drawn", name, part)
		}
	}
	tree := picture(t, written(t, Data{Title: "A tree", Trees: []Tree{sampleTree(3)}}), 800, 400)
	if part := coloured(tree); part < .05 {
		t.Errorf("tree: only %.3f of the page is coloured, nothing is drawn", part)
	}
}

// picture returns what a screen of a given size shows of a page.
func picture(t *testing.T, address string, width, height int, before ...chromedp.Action[chromedp.Void]) image.Image {
	t.Helper()
	tab := browser.Open(t, width, height)
	tab.Do(before...)
	tab.Go(address)
	png, err := chromedp.Run(tab.Context(), chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(png))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// brightness is the mean of all pixels, from 0 to 1.
func brightness(img image.Image) float64 {
	var sum float64
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			sum += float64(r+g+b) / 3 / 0xffff
		}
	}
	return sum / float64(b.Dx()*b.Dy())
}

// coloured is the part of a picture that is neither black, white nor grey.
func coloured(img image.Image) float64 {
	n := 0
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			if max(r, g, b)-min(r, g, b) > 0x1800 {
				n++
			}
		}
	}
	return float64(n) / float64(b.Dx()*b.Dy())
}
