package file

import (
	"fmt"
	"io"
	"strings"
)

// cuts returns where in a text of a kind others begin that stand below the first one.
func (c Commands[K]) cuts(kind K, text string) []int {
	if c.Cut == nil {
		return nil
	}
	return c.Cut(kind, text)
}

// addPasted keeps the prints of several commands that stand one below the other in a file, each as if it were a file of its own.
func (f *Folder[K]) addPasted(of Commands[K], from Source, text string, cuts []int) {
	f.Pasted = append(f.Pasted, from.Name)
	begin := 0
	for i, end := range append(cuts, len(text)) {
		own := abovePrompts(text[begin:end])
		blank := blankLines().FindString(own)
		print := own[len(blank):]
		part := from
		part.Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(print)), nil }
		if i > 0 {
			part.Member = fmt.Sprintf("%s-%d", from.Member, i+1)
		}
		f.Parts = append(f.Parts, Printed[K]{part, of.KindOf(print), print, strings.Count(text[:begin], "\n") + strings.Count(blank, "\n")})
		begin = end
	}
}

// abovePrompts returns a text without the prompts below it, and blank lines around them.
func abovePrompts(text string) string {
	for {
		ended := strings.TrimRight(text, " \t\r\n")
		begin := strings.LastIndexByte(ended, '\n') + 1
		if begin == 0 || !IsPrompt([]byte(ended[begin:])) {
			return text
		}
		text = ended[:begin]
	}
}
