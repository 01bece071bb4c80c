package formula

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of Python's expressions. Binary operators are read as a flat
// list, which builder.binary orders by precedence.
type (
	gFormula struct {
		Items []*gItem `parser:"@@ ( ',' @@ )*"`
		Comma bool     `parser:"@','?"`
	}
	gItem struct {
		Pos    lexer.Position
		Star   string  `parser:"@( '*' | '**' )?"`
		Named  *string `parser:"( @Name ':=' )?"`
		Value  *gExpr  `parser:"@@"`
		For    []*gFor `parser:"@@*"`
		EndPos lexer.Position
	}
	gExpr struct {
		Pos    lexer.Position
		Lambda *gLambda `parser:"@@"`
		Value  *gOr     `parser:"| @@"`
		If     *gIf     `parser:"@@?"`
		EndPos lexer.Position
	}
	gIf struct {
		Test *gOr   `parser:"'if' @@"`
		Else *gExpr `parser:"'else' @@"`
	}
	gLambda struct {
		Params []*gParam `parser:"'lambda' ( @@ ( ',' @@ )* )? ','? ':'"`
		Body   *gExpr    `parser:"@@"`
	}
	gParam struct {
		Star    string  `parser:"@( '*' | '**' | '/' )?"`
		Name    *string `parser:"@Name?"`
		Default *gExpr  `parser:"( '=' @@ )?"`
	}
	gFor struct {
		Targets []string `parser:"'async'? 'for' ( @Name | ',' | '(' | ')' )+ 'in'"`
		In      *gOr     `parser:"@@"`
		Ifs     []*gOr   `parser:"( 'if' @@ )*"`
	}
	gOr struct {
		Pos    lexer.Position
		X      []*gAnd `parser:"@@ ( 'or' @@ )*"`
		EndPos lexer.Position
	}
	gAnd struct {
		Pos    lexer.Position
		X      []*gNot `parser:"@@ ( 'and' @@ )*"`
		EndPos lexer.Position
	}
	gNot struct {
		Pos    lexer.Position
		Not    *gNot     `parser:"'not' @@"`
		Value  *gCompare `parser:"| @@"`
		EndPos lexer.Position
	}
	gCompare struct {
		Pos    lexer.Position
		First  *gBinary     `parser:"@@"`
		Rest   []*gCompared `parser:"@@*"`
		EndPos lexer.Position
	}
	gCompared struct {
		Op    []string `parser:"( @( '<' | '>' | '==' | '>=' | '<=' | '!=' | 'in' ) | @'not' @'in' | @'is' @'not'? )"`
		Value *gBinary `parser:"@@"`
	}
	gBinary struct {
		First *gFactor    `parser:"@@"`
		Rest  []*gOperand `parser:"@@*"`
	}
	gOperand struct {
		Op    string   `parser:"@( '+' | '-' | '*' | '/' | '//' | '%' | '@' | '&' | '|' | '^' | '<<' | '>>' )"`
		Value *gFactor `parser:"@@"`
	}
	gFactor struct {
		Pos    lexer.Position
		Op     string   `parser:"(  @( '+' | '-' | '~' )"`
		Value  *gFactor `parser:"@@ )"`
		Power  *gPower  `parser:"| @@"`
		EndPos lexer.Position
	}
	gPower struct {
		Pos      lexer.Position
		Atom     *gAtom      `parser:"@@"`
		Trailers []*gTrailer `parser:"@@*"`
		Exponent *gFactor    `parser:"( '**' @@ )?"`
		EndPos   lexer.Position
	}
	gTrailer struct {
		Attribute *string   `parser:"'.' @Name"`
		Call      *gArgs    `parser:"| '(' @@ ')'"`
		Index     *gIndexes `parser:"| '[' @@ ']'"`
		EndPos    lexer.Position
	}
	gArgs struct {
		Args []*gArg `parser:"( @@ ( ',' @@ )* ','? )?"`
	}
	gArg struct {
		Keyword *string `parser:"( @Name '=' )?"`
		Value   *gItem  `parser:"@@"`
	}
	gIndexes struct {
		X     []*gSlice `parser:"@@ ( ',' @@ )*"`
		Comma bool      `parser:"@','?"`
	}
	gSlice struct {
		Pos    lexer.Position
		Lower  *gItem `parser:"@@?"`
		Colon  bool   `parser:"( @':'"`
		Upper  *gExpr `parser:"@@?"`
		Step   *gExpr `parser:"( ':' @@? )? )?"`
		EndPos lexer.Position
	}
	gAtom struct {
		Pos     lexer.Position
		Number  *string    `parser:"@Number"`
		Strings []string   `parser:"| @String+"`
		Name    *string    `parser:"| @Name"`
		Const   *string    `parser:"| @( 'True' | 'False' | 'None' | '...' )"`
		Paren   *gElements `parser:"| '(' @@ ')'"`
		List    *gElements `parser:"| '[' @@ ']'"`
		Brace   *gBrace    `parser:"| '{' @@ '}'"`
		EndPos  lexer.Position
	}
	gElements struct {
		X     []*gItem `parser:"( @@ ( ',' @@ )*"`
		Comma bool     `parser:"  @','? )?"`
	}
	gBrace struct {
		X []*gPair `parser:"( @@ ( ',' @@ )* ','? )?"`
	}
	gPair struct {
		Key   *gItem `parser:"@@"`
		Value *gItem `parser:"( ':' @@ )?"`
	}
)

// parser returns what serves all formulas: participle's parsers are safe to share. It is built
// with the first formula, so that a program that reads none does not wait for it.
var parser = sync.OnceValue(func() *participle.Parser[gFormula] {
	return participle.MustBuild[gFormula](
		participle.Lexer(pythonLexer()),
		participle.Elide("Space", "Newline"),
		participle.UseLookahead(2),
	)
})
