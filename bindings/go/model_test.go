package tonnx_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// writer is a function as an io.Writer.
type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func geluModel(t *testing.T) (*tonnx.Program, *tonnx.Args, *tonnx.Model) {
	t.Helper()
	p, args := gelu(t), arguments(t, vector(t, 2))
	return p, args, export(t, p, args, nil, nil)
}

func TestModelIsTheSameInMemoryInAFileAndInAWriter(t *testing.T) {
	_, _, model := geluModel(t)
	inMemory, err := model.Bytes()
	if err != nil || len(inMemory) == 0 {
		t.Fatal(len(inMemory), err)
	}
	path := filepath.Join(t.TempDir(), "gelu.onnx")
	if err := model.Save(path, nil); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(saved, inMemory) {
		t.Error(len(saved), len(inMemory), err)
	}
	var written bytes.Buffer
	count, err := io.Copy(&written, struct {
		io.Reader
		io.WriterTo
	}{nil, model})
	if err != nil || count != int64(len(inMemory)) || !bytes.Equal(written.Bytes(), inMemory) {
		t.Error(count, written.Len(), err)
	}
	if err := tonnx.CheckFile(path); err != nil {
		t.Error(err)
	}
	short, err := tonnx.FileText(path, tonnx.TextShort)
	if err != nil {
		t.Error(err)
	}
	wantText(t, short, "onnx::Erf")
}

func TestModelIsSavedEachWay(t *testing.T) {
	model := export(t, weighted(t), arguments(t, vector(t, 2, 4)), nil, symbolic(t, "my_ops::gated_softmax", relu))
	folder := t.TempDir()
	path := filepath.Join(folder, "model.onnx")
	for _, way := range []tonnx.ExternalData{
		tonnx.ExternalDataAuto, tonnx.ExternalDataYes, tonnx.ExternalDataNo,
	} {
		if err := model.Save(path, &tonnx.SaveOptions{ExternalData: way}); err != nil {
			t.Fatal(err)
		}
		if err := tonnx.CheckFile(path); err != nil {
			t.Error(err)
		}
	}
	wantError(t, model.Save(path, &tonnx.SaveOptions{ExternalData: 9}), tonnx.StatusArgument, "")
	wantError(t, model.Save(filepath.Join(folder, "no", "model.onnx"), &tonnx.SaveOptions{ExternalData: tonnx.ExternalDataNo}), tonnx.StatusFile, "model.onnx")
	wantError(t, tonnx.CheckFile(filepath.Join(folder, "none.onnx")), tonnx.StatusFile, "none.onnx")
	_, err := tonnx.FileText(filepath.Join(folder, "none.onnx"), tonnx.TextShort)
	wantError(t, err, tonnx.StatusFile, "none.onnx")
}

func TestFilesRunAndGetTypes(t *testing.T) {
	_, args, model := geluModel(t)
	folder := t.TempDir()
	path, other := filepath.Join(folder, "gelu.onnx"), filepath.Join(folder, "typed.onnx")
	if err := model.Save(path, nil); err != nil {
		t.Fatal(err)
	}
	if err := tonnx.InferFile(path, other); err != nil {
		t.Fatal(err)
	}
	outputs, err := tonnx.RunFile(other, args, nil)
	if err != nil || len(outputs) != 1 || !reflect.DeepEqual(outputs[0].Tensor.Dims(), []int64{2}) {
		t.Fatal(outputs, err)
	}
	names := model.OutputNames()
	if outputs[0].Name != names[0] || tonnx.IsExporting() {
		t.Error(outputs[0].Name, names)
	}
	inside := false
	export(t, weighted(t), arguments(t, vector(t, 2, 4)), nil, symbolic(t, "my_ops::gated_softmax",
		func(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
			inside = tonnx.IsExporting()
			return relu(graph, node, inputs)
		}))
	if !inside {
		t.Error("a symbolic is part of an export")
	}
	_, err = tonnx.RunFile(other, nil, nil)
	wantError(t, err, tonnx.StatusArgument, "is missing")
	for class, want := range map[tonnx.Class]bool{"ArgumentError": true, "OnnxExporterError": true, "FileError": false} {
		if errors.Is(err, class) != want {
			t.Error(class)
		}
	}
}

func TestWriterThatFails(t *testing.T) {
	_, _, model := geluModel(t)
	given := &refusal{"disk full"}
	count, err := model.WriteTo(writer(func(p []byte) (int, error) { return 1, given }))
	wantError(t, err, tonnx.StatusCallback, "")
	if !errors.Is(err, given) || count != 1 {
		t.Errorf("%d, %v", count, err)
	}
	_, err = model.WriteTo(writer(func(p []byte) (int, error) { return len(p) - 1, nil }))
	if !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
	_, err = model.WriteTo(writer(func(p []byte) (int, error) { panic(given) }))
	var found *tonnx.PanicError
	if !errors.As(err, &found) || found.Value != given {
		t.Error(err)
	}
	_, err = model.WriteTo(nil)
	wantError(t, err, tonnx.StatusArgument, "the writer is nil")
	if _, err := model.WriteTo(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestModelTellsAboutItself(t *testing.T) {
	_, _, model := geluModel(t)
	if !reflect.DeepEqual(model.InputNames(), []string{"x"}) || !reflect.DeepEqual(model.OutputNames(), []string{"output"}) {
		t.Error(model.InputNames(), model.OutputNames())
	}
	var report map[string]any
	if err := json.Unmarshal(model.Report(), &report); err != nil || len(report) == 0 {
		t.Error(report, err)
	}
	full, err := model.Text(tonnx.TextFull)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, full, "ir_version: ", `op_type: "Erf"`)
	_, err = model.Text(tonnx.TextFormat(9))
	wantError(t, err, tonnx.StatusArgument, "")
	if err := model.Check(); err != nil {
		t.Error(err)
	}
	if len(model.Warnings()) != 0 {
		t.Error(model.Warnings())
	}
	training := export(t, gelu(t), arguments(t, vector(t, 2)), &tonnx.Options{Training: tonnx.TrainingTrain, ConstantFolding: tonnx.On}, nil)
	if warnings := training.Warnings(); len(warnings) != 1 {
		t.Error(warnings)
	}
}

func TestModelIsVerified(t *testing.T) {
	p, args, model := geluModel(t)
	if err := model.Verify(p, args, nil); err != nil {
		t.Error(err)
	}
	near, far := 1e-2, 100.0
	if err := model.Verify(p, args, &tonnx.VerifyOptions{Rtol: &near, Atol: &near}); err != nil {
		t.Error(err)
	}
	wrong := export(t, p, args, nil, symbolic(t, "aten::gelu", building("Neg")))
	wantError(t, wrong.Verify(p, args, nil), tonnx.StatusVerification, "output")
	if err := wrong.Verify(p, args, &tonnx.VerifyOptions{Atol: &far}); err != nil {
		t.Error(err)
	}
	of := func(name string) *tonnx.VerifyOptions {
		return &tonnx.VerifyOptions{OperatorTolerances: map[string]tonnx.Tolerance{name: {Rtol: -1, Atol: far}}}
	}
	if err := wrong.Verify(p, args, of("aten::gelu")); err != nil {
		t.Error(err)
	}
	wantError(t, wrong.Verify(p, args, of("aten::relu")), tonnx.StatusVerification, "output")
	wantError(t, wrong.Verify(p, args, of("gelu")), tonnx.StatusArgument, "namespace")
	wantError(t, model.Verify(nil, args, nil), tonnx.StatusArgument, "the program is nil")
	wantError(t, model.Verify(p, nil, nil), tonnx.StatusArgument, "")
	closed := arguments(t, 1)
	closed.Close()
	wantError(t, model.Verify(p, closed, nil), tonnx.StatusArgument, "the argument list is closed")
}

func TestModelIsVerifiedAtOtherSizes(t *testing.T) {
	p, args := gelu(t), arguments(t, vector(t, 2, 3))
	options := &tonnx.Options{Opset: 20, DynamicAxes: []tonnx.DynamicAxis{{"x", 0, "batch"}}}
	model := export(t, p, args, options, nil)
	if err := model.Verify(p, args, &tonnx.VerifyOptions{Sizes: map[string]int64{"batch": 7}, Warn: unexpected(t)}); err != nil {
		t.Error(err)
	}
	baked := export(t, p, args, options, symbolic(t, "aten::gelu", bakedGelu))
	if err := baked.Verify(p, args, &tonnx.VerifyOptions{OtherSizes: tonnx.Off}); err != nil {
		t.Error(err)
	}
	wantError(t, baked.Verify(p, args, &tonnx.VerifyOptions{}), tonnx.StatusVerification, "batch")
	for part, sizes := range map[string]map[string]int64{"none": {"none": 7}, "negative": {"batch": -1}, "NUL": {"a\x00": 1}} {
		wantError(t, model.Verify(p, args, &tonnx.VerifyOptions{Sizes: sizes}), tonnx.StatusArgument, part)
	}
}

func TestModelTellsWhatCannotBeVerified(t *testing.T) {
	args := arguments(t, vector(t, 2, 3))
	options := &tonnx.Options{DynamicAxes: []tonnx.DynamicAxis{{"x", 0, "batch"}}}
	model := export(t, program(t, "x: Tensor) -> Tensor", "return torch.add(x, 1)"), args, options, nil)
	fixed := program(t, "x: Tensor) -> Tensor", "return torch.add(x, torch.ones([2, 3]))")
	wantError(t, model.Verify(fixed, args, nil), tonnx.StatusVerification, "batch")
	wantError(t, model.Verify(fixed, args, &tonnx.VerifyOptions{}), tonnx.StatusVerification, "batch")
	var lines []string
	warn := func(line string) { lines = append(lines, line) }
	err := model.Verify(fixed, args, &tonnx.VerifyOptions{Warn: warn})
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "batch") {
		t.Errorf("%q, %v", lines, err)
	}
}

// bakedGelu is correct for two rows only.
func bakedGelu(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
	tensor, err := tonnx.NewTensor([]int64{2}, []int64{2, 3})
	if err != nil {
		return nil, err
	}
	defer tensor.Close()
	shape, err := graph.Constant(tensor)
	if err != nil {
		return nil, err
	}
	fixed, err := graph.Op("Reshape", []tonnx.Value{in[0], shape}, nil)
	if err != nil {
		return nil, err
	}
	result, err := graph.Op("Gelu", []tonnx.Value{fixed}, nil)
	return []tonnx.Value{result}, err
}

func unexpected(t *testing.T) func(string) {
	return func(line string) { t.Error("unexpected:", line) }
}

func TestModelThatTheCheckerRefuses(t *testing.T) {
	build := func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		result, err := graph.Op("Relu", in[:1], tonnx.Attributes{"none": 1})
		return []tonnx.Value{result}, err
	}
	p, args, registry := gelu(t), arguments(t, vector(t, 2)), symbolic(t, "aten::gelu", build)
	_, err := tonnx.Export(p, args, nil, registry)
	wantError(t, err, tonnx.StatusChecker, "none")
	unchecked := export(t, p, args, &tonnx.Options{Check: tonnx.Off}, registry)
	wantError(t, unchecked.Check(), tonnx.StatusChecker, "none")
}

func TestModelClosedTwiceAndUsed(t *testing.T) {
	p, args, closed := geluModel(t)
	closed.Close()
	closed.Close()
	for _, model := range []*tonnx.Model{closed, nil, {}} {
		_, err := model.Bytes()
		wantError(t, err, tonnx.StatusArgument, "the model")
		_, err = model.Text(tonnx.TextShort)
		wantError(t, err, tonnx.StatusArgument, "the model")
		count, err := model.WriteTo(io.Discard)
		wantError(t, err, tonnx.StatusArgument, "the model")
		wantError(t, model.Save(filepath.Join(t.TempDir(), "a.onnx"), nil), tonnx.StatusArgument, "the model")
		wantError(t, model.Check(), tonnx.StatusArgument, "the model")
		wantError(t, model.Verify(p, args, nil), tonnx.StatusArgument, "the model")
		if model.InputNames() != nil || model.OutputNames() != nil || model.Warnings() != nil || model.Report() != nil ||
			model.Opset() != 0 || model.IRVersion() != 0 || count != 0 {
			t.Error("a closed model returns a value")
		}
		model.Close()
	}
}
