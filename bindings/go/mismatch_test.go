package tonnx_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func TestExportsThatDependOnTheInputsDiffer(t *testing.T) {
	p, err := tonnx.Compile("def f(x):\n    if x.size(0) > 2:\n        x = torch.sin(x)\n    return x * 2\n", "net.py", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	two, one, three := arguments(t, vector(t, 2)), arguments(t, vector(t, 1)), arguments(t, vector(t, 3))
	text, err := tonnx.ExportDifference(p, []*tonnx.Args{two, one}, nil, nil)
	if err != nil || text != "" {
		t.Error(text, err)
	}
	text, err = tonnx.ExportDifference(p, []*tonnx.Args{two, one, three}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, text, "group 3", "node 1 of", "onnx::Sin", "net.py:3")
	for _, few := range [][]*tonnx.Args{nil, {two}} {
		_, err = tonnx.ExportDifference(p, few, nil, nil)
		wantError(t, err, tonnx.StatusArgument, "two groups")
	}
	report := filepath.Join(t.TempDir(), "report.sarif")
	_, err = tonnx.Export(p, arguments(t), nil, nil)
	var failure *tonnx.Error
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	if err := tonnx.SaveReport(report, failure.Report); err != nil {
		t.Fatal(err)
	}
	wantError(t, tonnx.SaveReport("report.json", failure.Report), tonnx.StatusArgument, ".sarif")
	_, err = (*tonnx.Model)(nil).Difference(nil)
	wantError(t, err, tonnx.StatusArgument, "model is nil")
}

func TestMismatchNamesTheOperatorThatDiffers(t *testing.T) {
	p, err := tonnx.Compile("def f(x):\n    return torch.relu(torch.sin(x) * 2)\n", "net.py", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	args := arguments(t, vector(t, 2))
	found, err := tonnx.FindMismatch(p, args, nil, symbolic(t, "aten::sin", building("Neg")), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if !found.Found() || !slices.Equal(found.Leaves(), []string{"0"}) {
		t.Error(found.Text())
	}
	wantText(t, found.Text(), "aten::sin (net.py:2)", "by kind: aten::sin 1")
	wantText(t, string(found.JSON()), `"differs": true`)
	folder := t.TempDir()
	if err := found.SavePart("0", folder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "test_data_set_0", "input_0.pb")); err != nil {
		t.Error(err)
	}
	wantError(t, found.SavePart("01", folder), tonnx.StatusArgument, "01")
	for _, part := range []struct {
		read  func(id string) (*tonnx.Contents, error)
		kinds []tonnx.OperatorUse
	}{{found.ProgramContents, []tonnx.OperatorUse{{"aten::sin", 1}}}, {found.ModelContents, []tonnx.OperatorUse{{"Neg", 1}}}} {
		contents, err := part.read("0")
		if err != nil || !slices.Equal(contents.Operators(), part.kinds) {
			t.Error(contents, err)
		}
		defer contents.Close()
		_, err = part.read("01")
		wantError(t, err, tonnx.StatusArgument, "01")
	}
	none, err := tonnx.FindMismatch(p, args, nil, nil, &tonnx.VerifyOptions{EveryOperator: true})
	if err != nil || none.Found() {
		t.Error(none, err)
	}
	defer none.Close()
	_, err = tonnx.FindMismatch(nil, args, nil, nil, nil)
	wantError(t, err, tonnx.StatusArgument, "the program is nil")
}
