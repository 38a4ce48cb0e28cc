package tonnx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func TestProgramFromAFileAndFromMemory(t *testing.T) {
	content := archive("x: Tensor) -> Tensor", "return torch.relu(x)")
	path := filepath.Join(t.TempDir(), "relu.pt")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	fromFile, err := tonnx.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	defer fromFile.Close()
	fromMemory, err := tonnx.LoadBytes(content)
	if err != nil {
		t.Fatal(err)
	}
	defer fromMemory.Close()
	args := arguments(t, vector(t, 2))
	for _, p := range []*tonnx.Program{fromFile, fromMemory} {
		if !reflect.DeepEqual(p.Methods(), []string{"forward"}) {
			t.Error(p.Methods())
		}
		unconverted, err := p.Text(args, nil, tonnx.TextShort)
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, unconverted, "aten::relu")
		wantText(t, text(t, p, args, nil, nil), "onnx::Relu")
	}
}

func TestProgramThatCannotBeLoaded(t *testing.T) {
	_, err := tonnx.Load(filepath.Join(t.TempDir(), "none.pt"))
	wantError(t, err, tonnx.StatusFile, "none.pt")
	for _, content := range [][]byte{nil, {}, []byte("no archive")} {
		_, err = tonnx.LoadBytes(content)
		wantError(t, err, tonnx.StatusFile, "")
	}
	wantError(t, tonnx.LoadOperators(filepath.Join(t.TempDir(), "none.so")), tonnx.StatusFile, "none.so")
	wantError(t, tonnx.RegisterOperator("no schema"), tonnx.StatusArgument, "")
}

func TestProgramFromSourceText(t *testing.T) {
	source := "def double(x): return x * 2\n" +
		"def forward(self, x):\n" +
		"    while bool(x.sum() < self.limit):\n" +
		"        x = double(x) + self.layer.shift\n" +
		"    return x\n"
	attributes := arguments(t)
	if err := attributes.AddKeyword("layer.shift", vector(t, 3)); err != nil {
		t.Fatal(err)
	}
	if err := attributes.AddKeyword("limit", 50.0); err != nil {
		t.Fatal(err)
	}
	p, err := tonnx.Compile(source, "net.py", attributes)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	attributes.Close()
	if !reflect.DeepEqual(p.Methods(), []string{"forward", "double"}) {
		t.Error(p.Methods())
	}
	wantText(t, text(t, p, arguments(t, vector(t, 3)), nil, nil), "onnx::Loop", "layer.shift")
	_, err = tonnx.Compile("def f(x):\n    return y\n", "net.py", nil)
	wantError(t, err, tonnx.StatusProgram, "net.py:2:12: undefined value y")
	_, err = tonnx.Compile("def f(x):\n    return y\n", "", nil)
	wantError(t, err, tonnx.StatusProgram, "source:2:12")
	_, err = tonnx.Compile("def f(x): return x\n", "", arguments(t, vector(t, 3)))
	wantError(t, err, tonnx.StatusArgument, "name")
	_, err = tonnx.FromModule(nil, false)
	wantError(t, err, tonnx.StatusArgument, "NULL")
}

func TestProgramThatFailsOnItsArguments(t *testing.T) {
	p := program(t, "x: Tensor, y: Tensor) -> Tensor", "return torch.matmul(x, y)")
	_, err := tonnx.Export(p, arguments(t, vector(t, 2, 3), vector(t, 2, 3)), nil, nil)
	wantError(t, err, tonnx.StatusProgram, "")
	_, err = tonnx.Export(p, arguments(t, vector(t, 2, 3)), nil, nil)
	wantError(t, err, tonnx.StatusArgument, "")
}

func TestProgramClosedTwiceAndUsed(t *testing.T) {
	closed := gelu(t)
	closed.Close()
	closed.Close()
	args := arguments(t, vector(t, 2))
	for _, p := range []*tonnx.Program{closed, nil, {}} {
		_, err := tonnx.Export(p, args, nil, nil)
		wantError(t, err, tonnx.StatusArgument, "the program")
		_, err = p.Text(args, nil, tonnx.TextShort)
		wantError(t, err, tonnx.StatusArgument, "the program")
		if p.Methods() != nil {
			t.Error(p.Methods())
		}
		p.Close()
	}
}

func TestVersion(t *testing.T) {
	number := tonnx.VersionNumber()
	if want := fmt.Sprintf("%d.%d.%d", number>>16, number>>8&0xFF, number&0xFF); tonnx.Version() != want {
		t.Errorf("version %q, expected %q", tonnx.Version(), want)
	}
	wantText(t, tonnx.BuildInfo(), "LibTorch")
}

func TestLibTorch(t *testing.T) {
	wantError(t, tonnx.LoadLibTorch(t.TempDir()), tonnx.StatusFile, "no LibTorch in")
	wantError(t, tonnx.LoadLibTorch("a\x00b"), tonnx.StatusArgument, "NUL")
	defer program(t, "x: Tensor) -> Tensor", "return x").Close()
	version := tonnx.LibTorchVersion()
	wantText(t, tonnx.BuildInfo(), fmt.Sprintf("LibTorch %d.%d,", version>>16, version>>8&0xFF))
}
