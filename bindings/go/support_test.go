package tonnx_test

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// The examples load relu.pt and custom.pt from the current folder.
func TestMain(m *testing.M) {
	if call := os.Getenv("TONNX_EXIT_CALL"); call != "" {
		endDuring(call)
	}
	folder, err := os.MkdirTemp("", "tonnx")
	if err != nil {
		panic(err)
	}
	if err := os.Chdir(folder); err != nil {
		panic(err)
	}
	must(os.WriteFile("relu.pt", archive("x: Tensor) -> Tensor", "return torch.relu(x)"), 0o600))
	must(tonnx.RegisterOperator("my_ops::twice(Tensor x) -> Tensor"))
	must(os.WriteFile("custom.pt", archive("x: Tensor) -> Tensor", "return ops.my_ops.twice(x)"), 0o600))
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// archive makes a TorchScript archive of a module without weights whose forward has this signature and body.
func archive(signature string, body ...string) []byte {
	code := "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n" +
		"  def forward(self: __torch__.Net, " + signature + ":\n    " + strings.Join(body, "\n    ") + "\n"
	// A Net whose state is {"training": False}.
	state := "\x80\x02c__torch__\nNet\nq\x00)\x81}(X\x08\x00\x00\x00trainingq\x01\x89ubq\x02."
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for _, record := range [][2]string{
		{"data.pkl", state}, {"code/__torch__.py", code}, {"constants.pkl", "\x80\x02)."}, {"version", "10\n"},
	} {
		content := []byte(record[1])
		part, err := writer.CreateRaw(&zip.FileHeader{
			Name: "net/" + record[0], CRC32: crc32.ChecksumIEEE(content),
			CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content)),
		})
		must(err)
		_, err = part.Write(content)
		must(err)
	}
	must(writer.Close())
	return file.Bytes()
}

// program loads such an archive.
func program(t testing.TB, signature string, body ...string) *tonnx.Program {
	t.Helper()
	made, err := tonnx.LoadBytes(archive(signature, body...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	return made
}

// gelu is a program of two operators, aten::add and aten::gelu.
func gelu(t testing.TB) *tonnx.Program {
	t.Helper()
	return program(t, "x: Tensor) -> Tensor", "return torch.gelu(torch.add(x, x), approximate=\"none\")")
}

// weighted is the archive of examples/custom_operator: a Linear of 4x4 weights and my_ops::gated_softmax.
func weighted(t testing.TB) *tonnx.Program {
	t.Helper()
	if err := tonnx.LoadOperators(environment(t, "TONNX_OPERATORS")); err != nil {
		t.Fatal(err)
	}
	made, err := tonnx.Load(environment(t, "TONNX_ARCHIVE"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	return made
}

// vector is a tensor of 0, 1, 2, ...
func vector(t testing.TB, dims ...int64) *tonnx.Tensor {
	t.Helper()
	count := int64(1)
	for _, dim := range dims {
		count *= dim
	}
	elements := make([]float32, count)
	for i := range elements {
		elements[i] = float32(i)
	}
	made, err := tonnx.NewTensor(dims, elements)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	return made
}

func arguments(t testing.TB, values ...any) *tonnx.Args {
	t.Helper()
	made, err := tonnx.NewArgs(values...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	return made
}

func newRegistry(t testing.TB) *tonnx.Registry {
	t.Helper()
	made, err := tonnx.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	return made
}

// symbolic makes a registry of one symbolic.
func symbolic(t testing.TB, name string, run tonnx.Symbolic) *tonnx.Registry {
	t.Helper()
	made := newRegistry(t)
	if err := made.Add(name, 9, run); err != nil {
		t.Fatal(err)
	}
	return made
}

// relu is a symbolic that builds one Relu of its first input.
func relu(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
	result, err := graph.Op("Relu", inputs[:1], nil)
	return []tonnx.Value{result}, err
}

// export must succeed.
func export(t testing.TB, p *tonnx.Program, args *tonnx.Args, options *tonnx.Options,
	registry *tonnx.Registry) *tonnx.Model {
	t.Helper()
	made, err := tonnx.Export(p, args, options, registry)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })
	return made
}

// text is the short text of a model that must be exported.
func text(t testing.TB, p *tonnx.Program, args *tonnx.Args, options *tonnx.Options, registry *tonnx.Registry) string {
	t.Helper()
	text, err := export(t, p, args, options, registry).Text(tonnx.TextShort)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func wantText(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// wantError checks an error's status and a part of its message.
func wantError(t testing.TB, err error, status tonnx.Status, part string) {
	t.Helper()
	failure, ok := err.(*tonnx.Error)
	switch {
	case err == nil:
		t.Errorf("no error; wanted %v with %q", status, part)
	case !ok:
		t.Errorf("%T is not a *tonnx.Error: %v", err, err)
	case failure.Status != status || !strings.Contains(failure.Message, part):
		t.Errorf("%v: %v; wanted %v with %q", failure.Status, failure, status, part)
	}
}

func environment(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("$%s is not set", name)
	}
	return value
}
