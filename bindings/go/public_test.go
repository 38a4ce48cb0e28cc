package tonnx_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Every type that a signature or a field of the package shows can be named by its users.
func TestPublicTypesCanBeNamed(t *testing.T) {
	own := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
	_, file, _, _ := runtime.Caller(0) // the tests run in another folder
	packages, err := parser.ParseDir(token.NewFileSet(), filepath.Dir(file), own, 0)
	if err != nil {
		t.Fatal(err)
	}
	hidden := map[string]bool{}
	var shown []func()
	for _, file := range packages["tonnx"].Files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, isType := spec.(*ast.TypeSpec); isType {
						hidden[s.Name.Name] = !s.Name.IsExported()
						if s.Name.IsExported() {
							shown = append(shown, func() { fieldsAreShown(t, s.Name.Name, s.Type, hidden) })
						}
					}
				}
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || receiverIsShown(d.Recv.List[0].Type)) {
					shown = append(shown, func() { typeIsShown(t, d.Name.Name, d.Type, hidden) })
				}
			}
		}
	}
	if len(shown) < 100 {
		t.Fatal("the package's declarations are not found")
	}
	for _, check := range shown {
		check()
	}
}

func receiverIsShown(expression ast.Expr) bool {
	if star, isPointer := expression.(*ast.StarExpr); isPointer {
		expression = star.X
	}
	name, isName := expression.(*ast.Ident)
	return isName && name.IsExported()
}

// fieldsAreShown checks the exported fields of a struct, or any other type as a whole.
func fieldsAreShown(t *testing.T, owner string, expression ast.Expr, hidden map[string]bool) {
	structure, isStruct := expression.(*ast.StructType)
	if !isStruct {
		typeIsShown(t, owner, expression, hidden)
		return
	}
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				typeIsShown(t, owner+"."+name.Name, field.Type, hidden)
			}
		}
	}
}

func typeIsShown(t *testing.T, owner string, expression ast.Node, hidden map[string]bool) {
	ast.Inspect(expression, func(node ast.Node) bool {
		if _, isSelector := node.(*ast.SelectorExpr); isSelector {
			return false
		}
		if name, isName := node.(*ast.Ident); isName && hidden[name.Name] {
			t.Errorf("%s has the type %s, which cannot be named", owner, name.Name)
		}
		return true
	})
}
