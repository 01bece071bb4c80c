package pattern

import (
	"bytes"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAllCompile compiles the patterns of all packages, since no command does so at its start.
func TestAllCompile(t *testing.T) {
	texts := map[string]constant.Value{} // of constants in files with patterns, by folder and name
	var calls []call
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("pattern.Of(")) {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return err
		}
		folder := filepath.Dir(name)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				for _, s := range n.Specs {
					if s, ok := s.(*ast.ValueSpec); ok && n.Tok == token.CONST && len(s.Names) == len(s.Values) {
						for i, v := range s.Values {
							texts[folder+"."+s.Names[i].Name] = value(v, folder, texts)
						}
					}
				}
			case *ast.CallExpr:
				if of, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 1 && isName(of.X, "pattern") && of.Sel.Name == "Of" {
					calls = append(calls, call{folder, n.Args[0]})
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		text := value(c.text, c.folder, texts)
		if text.Kind() != constant.String {
			t.Errorf("%s: what pattern.Of is given is not made of texts and constants of files with patterns in its package", c.folder)
		} else if _, err := regexp.Compile(constant.StringVal(text)); err != nil {
			t.Errorf("%s: %v", c.folder, err)
		}
	}
	if len(calls) < 100 {
		t.Errorf("there are %d patterns only", len(calls))
	}
}

// call is one of pattern.Of.
type call struct {
	folder string
	text   ast.Expr
}

// value returns the text that an expression of literals and constants is, an unknown value for another.
func value(e ast.Expr, folder string, texts map[string]constant.Value) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return constant.MakeFromLiteral(e.Value, e.Kind, 0)
		}
	case *ast.Ident:
		if v, ok := texts[folder+"."+e.Name]; ok {
			return v
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return constant.BinaryOp(value(e.X, folder, texts), e.Op, value(e.Y, folder, texts))
		}
	}
	return constant.MakeUnknown()
}

func isName(e ast.Expr, name string) bool {
	is, ok := e.(*ast.Ident)
	return ok && is.Name == name
}
