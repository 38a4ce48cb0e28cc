package tonnx_test

import (
	"reflect"
	"strings"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func TestOptionsOfNamesAxesAndOpset(t *testing.T) {
	options := &tonnx.Options{
		Opset: 13, InputNames: []string{"in"}, OutputNames: []string{"out"},
		DynamicAxes: []tonnx.DynamicAxis{{"in", 0, "batch"}, {"in", -1, ""}},
	}
	model := export(t, gelu(t), arguments(t, vector(t, 2, 3)), options, nil)
	if !reflect.DeepEqual(model.InputNames(), []string{"in"}) || !reflect.DeepEqual(model.OutputNames(), []string{"out"}) {
		t.Errorf("%v, %v", model.InputNames(), model.OutputNames())
	}
	if model.Opset() != 13 || model.IRVersion() == 0 {
		t.Errorf("opset %d, IR version %d", model.Opset(), model.IRVersion())
	}
	text, err := model.Text(tonnx.TextShort)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, text, "%in : Float(batch, in_dynamic_axes_2)")
}

func TestOptionsDefaults(t *testing.T) {
	given := text(t, gelu(t), arguments(t, vector(t, 2)), &tonnx.Options{}, nil)
	if none := text(t, gelu(t), arguments(t, vector(t, 2)), nil, nil); none != given {
		t.Errorf("%s\nis not\n%s", given, none)
	}
	model := export(t, gelu(t), arguments(t, vector(t, 2)), nil, nil)
	if model.Opset() != tonnx.DefaultOpset() || tonnx.OldestOpset() >= tonnx.NewestOpset() {
		t.Error(model.Opset(), tonnx.DefaultOpset(), tonnx.OldestOpset(), tonnx.NewestOpset())
	}
}

func TestOptionsOfWeights(t *testing.T) {
	p, args, registry := weighted(t), arguments(t, vector(t, 1, 2, 4)), symbolic(t, "my_ops::gated_softmax", relu)
	if folded := text(t, p, args, nil, registry); strings.Contains(folded, "onnx::Transpose") {
		t.Error(folded)
	}
	wantText(t, text(t, p, args, &tonnx.Options{ConstantFolding: tonnx.Off}, registry), "onnx::Transpose")

	names := []string{"x", "body.weight", "body.bias"}
	omitted := export(t, p, args, &tonnx.Options{ExportParams: tonnx.Off}, registry)
	if !reflect.DeepEqual(omitted.InputNames(), names) {
		t.Errorf("%v", omitted.InputNames())
	}
	for mode, inputs := range map[tonnx.InitializersAsInputs]int{
		tonnx.InitializersAsInputsAlways: 3, tonnx.InitializersAsInputsNever: 1,
	} {
		full, err := export(t, p, args, &tonnx.Options{InitializersAsInputs: mode}, registry).Text(tonnx.TextFull)
		if count := strings.Count(full, "\n  input {"); err != nil || count != inputs {
			t.Errorf("mode %d: %d inputs, %v", mode, count, err)
		}
	}
}

func TestOptionsOfTraining(t *testing.T) {
	p := program(t, "x: Tensor) -> Tensor", "return torch.dropout(x, 0.5, self.training)")
	args := arguments(t, vector(t, 2))
	options := &tonnx.Options{Training: tonnx.TrainingTrain}
	wantText(t, text(t, p, args, options, nil), "onnx::Dropout")
	if inference := text(t, p, args, nil, nil); strings.Contains(inference, "onnx::Dropout") {
		t.Error(inference)
	}
}

func TestOptionsOfCustomDomainsAndCheck(t *testing.T) {
	build := func(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
		result, err := graph.Op("my.domain::Gelu", inputs[:1], nil)
		return []tonnx.Value{result}, err
	}
	options := &tonnx.Options{CustomOpsets: map[string]int64{"my.domain": 3, "other": 1}, Check: tonnx.Off}
	model := export(t, gelu(t), arguments(t, vector(t, 2)), options, symbolic(t, "aten::gelu", build))
	text, err := model.Text(tonnx.TextFull)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, text, `domain: "my.domain"`, "version: 3")
}

func TestOptionsThatAreWrong(t *testing.T) {
	for part, options := range map[string]tonnx.Options{
		"opset":     {Opset: tonnx.NewestOpset() + 1},
		"4294967":   {Opset: 1<<32 + 17},
		"training":  {Training: 7},
		"none such": {Method: "none such"},
		"NUL":       {InputNames: []string{"a\x00b"}},
		"unknown":   {DynamicAxes: []tonnx.DynamicAxis{{"unknown", 0, ""}}},
	} {
		options := options
		_, err := tonnx.Export(gelu(t), arguments(t, vector(t, 2)), &options, nil)
		wantError(t, err, tonnx.StatusArgument, part)
	}
	_, err := tonnx.Export(gelu(t), arguments(t, vector(t, 2)), &tonnx.Options{InitializersAsInputs: 7}, nil)
	wantError(t, err, tonnx.StatusArgument, "")
}

func TestLimitsEndAnExport(t *testing.T) {
	p, err := tonnx.Compile("def forward(x):\n    for i in range(1000000000):\n        x = x + 1\n    return x\n", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = tonnx.Export(p, arguments(t, vector(t, 2)), &tonnx.Options{Mode: tonnx.ModeTrace, MaxSteps: 1000}, nil)
	wantError(t, err, tonnx.StatusCancelled, "max_steps")
	_, err = tonnx.Export(p, arguments(t, vector(t, 2)), &tonnx.Options{MaxCallDepth: 401}, nil)
	wantError(t, err, tonnx.StatusArgument, "max_call_depth")
}
