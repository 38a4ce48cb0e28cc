package tonnx_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unsafe"

	tonnx "github.com/tonnx/tonnx/bindings/go"
	"github.com/tonnx/tonnx/bindings/go/internal/torchshim"
)

// client is a LibTorch client beside tonnx.
func client(t *testing.T) *torchshim.Client {
	t.Helper()
	if os.Getenv("TONNX_TORCH_SHIM") == "" {
		t.Skip("TONNX_TORCH_SHIM is not set")
	}
	torch := &torchshim.Client{}
	t.Cleanup(torch.Close)
	return torch
}

func TestTraceOfARecurrentNetwork(t *testing.T) {
	const width, hidden = 4, 6
	torch := client(t)
	make1 := func(name string, sizes ...int64) unsafe.Pointer {
		made, err := torch.Run(name, nil, sizes...)
		if err != nil {
			t.Fatal(err)
		}
		return made[0]
	}
	weights := []unsafe.Pointer{make1("randn", 4*hidden, width), make1("randn", 4*hidden, hidden),
		make1("randn", 4*hidden), make1("randn", 4*hidden)}
	record := func(recorder *tonnx.Recorder) error {
		for i, name := range []string{"weight_ih", "weight_hh", "bias_ih", "bias_hh"} {
			if err := recorder.Weight(name, weights[i]); err != nil {
				return err
			}
		}
		x := recorder.Input(0)
		state, err := torch.Run("zeros", nil, 1, torchshim.Size(x, 0), hidden)
		if err != nil {
			return err
		}
		results, err := torch.Run("lstm", append([]unsafe.Pointer{x, state[0], state[0]}, weights...))
		if err != nil {
			return err
		}
		return recorder.Output("sequence", results[0])
	}
	options := &tonnx.TraceOptions{DynamicAxes: []tonnx.TraceAxis{{Symbol: "batch"}, {Axis: 1, Symbol: "sequence"}}}
	args := arguments(t, vector(t, 2, 5, width))
	program, err := tonnx.Trace(args, options, record)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	model := export(t, program, args, nil, nil)
	wantText(t, text(t, program, args, nil, nil), "onnx::LSTM")
	for _, size := range [][2]int64{{2, 5}, {1, 9}, {4, 3}} {
		same, err := tonnx.Trace(arguments(t, vector(t, size[0], size[1], width)), nil, record)
		if err != nil {
			t.Fatal(err)
		}
		if err := model.Verify(same, nil, nil); err != nil {
			t.Error(size, err)
		}
		same.Close()
	}
}

func TestTraceGivesTheErrorOfLibTorch(t *testing.T) {
	torch := client(t)
	_, err := tonnx.Trace(arguments(t, vector(t, 2, 3)), nil, func(recorder *tonnx.Recorder) error {
		_, err := torch.Run("matmul", []unsafe.Pointer{recorder.Input(0), recorder.Input(0)})
		return err
	})
	wantError(t, err, tonnx.StatusCallback, "mat1 and mat2")
	if !strings.HasPrefix(err.Error(), "matmul: ") {
		t.Error(err)
	}
}

func TestFunctionOfATrace(t *testing.T) {
	torch := client(t)
	weight, err := torch.Run("randn", nil, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	args := arguments(t, vector(t, 2, 3))
	program, err := tonnx.Trace(args, nil, func(recorder *tonnx.Recorder) error {
		inputs := []unsafe.Pointer{recorder.Input(0), weight[0]}
		var made []unsafe.Pointer
		err := recorder.Function("Product", inputs, tonnx.Attributes{"scale": 2.5},
			func() (outputs []unsafe.Pointer, err error) {
				made, err = torch.Run("matmul", inputs)
				return made, err
			})
		if err != nil {
			return err
		}
		return recorder.Output("y", made[0])
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	wantText(t, text(t, program, args, nil, nil), "onnx::MatMul")
	registry := symbolic(t, "prim::PythonOp.Product",
		func(g *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
			if scale, err := in[2].Float(); err != nil || scale != 2.5 || in[0].RequiresGrad() {
				t.Error(scale, err)
			}
			if name, err := in[3].Text(); err != nil || name != node.Overload() {
				t.Error(name, err)
			}
			made, err := g.Op("Gemm", in[:2], nil)
			return []tonnx.Value{made}, err
		})
	wantText(t, text(t, program, args, nil, registry), "onnx::Gemm")
	program, err = tonnx.Trace(args, nil, func(recorder *tonnx.Recorder) error {
		input := recorder.Input(0)
		var made []unsafe.Pointer
		err := recorder.Function("Broken", []unsafe.Pointer{input}, nil, func() (outputs []unsafe.Pointer, err error) {
			if err = recorder.Enter("Linear", "fc"); err != nil {
				return nil, err
			}
			if made, err = torch.Run("relu", []unsafe.Pointer{input}); err != nil {
				return nil, err
			}
			return nil, errors.New("no kernel")
		})
		if err == nil || err.Error() != "no kernel" {
			t.Error(err)
		}
		if err = recorder.Leave(); err == nil {
			t.Error("the module was not left with the function")
		}
		return recorder.Output("y", made[0])
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	wantText(t, text(t, program, args, &tonnx.Options{AutogradInlining: tonnx.Off}, nil), "onnx::Relu")
	_, err = tonnx.Trace(args, nil, func(recorder *tonnx.Recorder) error {
		return recorder.Function("not a name", nil, nil, nil)
	})
	wantError(t, err, tonnx.StatusCallback, "is not a name of a function")
}
