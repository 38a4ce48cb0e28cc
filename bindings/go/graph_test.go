package tonnx_test

import (
	"fmt"
	"reflect"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

const probeSchema = "tonnx_go::probe.full(Tensor x, int count, float scale, bool flag, str mode, int[] sizes, " +
	"float[] factors, Tensor? mask, Tensor[] parts) -> (Tensor, Tensor)"

// probe runs a symbolic on an operator with an argument of each kind, and returns the model as text.
func probe(t *testing.T, run tonnx.Symbolic) string {
	t.Helper()
	if err := tonnx.RegisterOperator(probeSchema); err != nil {
		t.Fatal(err)
	}
	p := program(t, "x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]",
		"a, b, = ops.tonnx_go.probe(x, 3, 0.5, True, \"same\", [1, 2], [0.25, 0.5], None, [x, y])",
		"return (a, b)")
	options := &tonnx.Options{
		InputNames: []string{"x", "y"}, DynamicAxes: []tonnx.DynamicAxis{{"x", 0, "batch"}}, Check: tonnx.Off,
	}
	return text(t, p, arguments(t, vector(t, 2, 3), vector(t, 2, 3)), options, symbolic(t, "tonnx_go::probe", run))
}

func typed(values ...tonnx.Value) ([]tonnx.Value, error) {
	for _, value := range values {
		if err := value.SetType(tonnx.Float32, -1, 3); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func TestNodeAndValuesTellWhatIsKnown(t *testing.T) {
	probe(t, func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		check := func(what string, got, want any) {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s is %v, not %v", what, got, want)
			}
		}
		check("opset", graph.Opset(), tonnx.DefaultOpset())
		check("operator", node.Operator(), "tonnx_go::probe")
		check("overload", node.Overload(), "full")
		check("position of mode", node.ArgumentIndex("mode"), 4)
		check("position of none", node.ArgumentIndex("none"), -1)
		check("position of a NUL", node.ArgumentIndex("mode\x00"), -1)
		check("name of 5", node.ArgumentName(5), "sizes")
		check("name of 99", node.ArgumentName(99), "")
		check("name of -1", node.ArgumentName(-1), "")
		check("outputs", node.OutputCount(), 2)
		check("output -1", node.Output(-1), tonnx.Value{})
		check("dtype of output", node.Output(0).DType(), node.Output(1).DType())
		_ = node.Module() + node.Source()

		x := in[0]
		rank, known := x.Rank()
		check("rank of x", []any{x.DType(), rank, known}, []any{tonnx.Float32, 2, true})
		check("dims of x", []any{x.Dim(0), x.DimSymbol(0), x.Dim(1), x.DimSymbol(1)}, []any{int64(-1), "batch", int64(3), ""})
		check("dim 9 of x", []any{x.Dim(9), x.DimSymbol(9), x.Dim(-1)}, []any{int64(-1), "", int64(-1)})
		check("kinds", []bool{x.IsNone(), x.IsConstant(), in[7].IsNone(), in[1].IsConstant()},
			[]bool{false, false, true, true})

		read := func(value any, err error) any {
			if err != nil {
				return err
			}
			return value
		}
		check("count", read(in[1].Int()), int64(3))
		check("scale", read(in[2].Float()), 0.5)
		check("count as a float", read(in[1].Float()), 3.0)
		check("flag", read(in[3].Bool()), true)
		check("mode", read(in[4].Text()), "same")
		check("sizes", read(in[5].Ints()), []int64{1, 2})
		check("factors", read(in[6].Floats()), []float64{0.25, 0.5})
		parts, err := in[8].List()
		check("parts", []any{len(parts), err}, []any{2, nil})
		if dtype := parts[1].DType(); dtype != tonnx.Float32 {
			t.Error(dtype)
		}

		_, err = x.Int()
		wantError(t, err, tonnx.StatusArgument, "constant")
		_, err = in[2].Int()
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = in[1].Bool()
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = in[1].Text()
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = in[2].Ints()
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = in[4].Floats()
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = in[4].Tensor()
		wantError(t, err, tonnx.StatusArgument, "")
		check("count as a list", read(in[1].Ints()), []int64{3})
		check("count as a list of floats", read(in[1].Floats()), []float64{3})
		_, err = in[1].Texts()
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = x.List()
		wantError(t, err, tonnx.StatusArgument, "")
		wantError(t, in[1].SetType(tonnx.Float32), tonnx.StatusArgument, "")

		none := tonnx.Value{}
		_, known = none.Rank()
		check("the zero value", []any{none.IsNone(), none.DType(), known, none.Dim(0)},
			[]any{true, tonnx.Undefined, false, int64(-1)})
		_, err = none.Float()
		wantError(t, err, tonnx.StatusArgument, "absent")
		wantError(t, x.CopyType(none), tonnx.StatusArgument, "")
		return typed(x, x)
	})
}

func TestGraphBuildsNodes(t *testing.T) {
	tensor := vector(t, 3)
	built := probe(t, func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		outputs, err := graph.OpN("my.domain::Two", []tonnx.Value{in[0], {}, in[2]}, tonnx.Attributes{
			"an_int": 7, "a_long": int64(1) << 40, "a_bool": true, "a_float": 0.5, "a_single": float32(0.25), "a_text": "abc",
			"ints": []int{1, 2}, "longs": []int64{3}, "floats": []float64{1.5}, "singles": []float32{2.5},
			"texts": []string{"a", "b"}, "none": []int64{}, "a_tensor": tensor, "tensors": []*tonnx.Tensor{tensor},
			"a_type": tonnx.TensorType{tonnx.Int64, []int64{-1, 2}},
		}, 2)
		if err != nil {
			return nil, err
		}
		constant, err := graph.Constant(tensor)
		if err != nil {
			return nil, err
		}
		if content, err := constant.Tensor(); err != nil {
			return nil, err
		} else if elements, err := tonnx.Elements[float32](content); err != nil || elements[2] != 2 {
			return nil, fmt.Errorf("%v, %v", elements, err)
		}
		cast, err := graph.Cast(in[8], tonnx.Float32)
		wantError(t, err, tonnx.StatusArgument, "")
		if cast != (tonnx.Value{}) {
			t.Error("a value beside an error")
		}
		half, err := graph.Cast(in[0], tonnx.Float16)
		if err != nil {
			return nil, err
		}
		same, err := graph.Cast(half, tonnx.Float16)
		if err != nil || same != half {
			t.Errorf("a cast to the same dtype is another value, %v", err)
		}
		back, err := graph.Cast(half, tonnx.Float32)
		if err != nil {
			return nil, err
		}
		sum, err := graph.Op("Sum", []tonnx.Value{outputs[0], constant, back}, nil)
		if err != nil {
			return nil, err
		}
		if err := sum.CopyType(in[0]); err != nil {
			return nil, err
		}
		return typed(sum, outputs[1])
	})
	wantText(t, built, "my.domain::Two", "an_int=7", "a_long=1099511627776", "a_bool=1", "a_float=0.5", "a_single=0.25",
		`a_text="abc"`, "ints=[1, 2]", "longs=[3]", "floats=[1.5]", "singles=[2.5]", `texts=["a", "b"]`, "a_tensor",
		"tensors", "a_type", "onnx::Sum", "onnx::Cast")
}

func TestGraphRefusesWrongUse(t *testing.T) {
	closed := vector(t, 1)
	closed.Close()
	probe(t, func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		x := in[:1]
		for part, attributes := range map[string]tonnx.Attributes{
			"struct {}": {"a": struct{}{}}, "nil": {"a": nil}, "uint8": {"a": uint8(1)}, "NUL": {"a\x00": 1},
			"closed": {"a": closed}, "the tensor is closed": {"a": []*tonnx.Tensor{closed}}, "empty": {"": 1},
		} {
			_, err := graph.Op("Relu", x, attributes)
			wantError(t, err, tonnx.StatusArgument, part)
		}
		_, err := graph.Op("Relu", x, tonnx.Attributes{"a": (*tonnx.Tensor)(nil)})
		wantError(t, err, tonnx.StatusArgument, "nil")
		_, err = graph.Op("Relu\x00", x, nil)
		wantError(t, err, tonnx.StatusArgument, "NUL")
		for _, name := range []string{"", "my.domain::", "::Two"} {
			_, err = graph.Op(name, x, nil)
			wantError(t, err, tonnx.StatusArgument, "is not an operator name")
		}
		_, err = graph.OpN("Relu", x, nil, 0)
		wantError(t, err, tonnx.StatusArgument, "output")
		_, err = graph.OpN("Relu", x, nil, -1)
		wantError(t, err, tonnx.StatusArgument, "output")
		_, err = graph.Constant(closed)
		wantError(t, err, tonnx.StatusArgument, "closed")
		_, err = graph.Constant(nil)
		wantError(t, err, tonnx.StatusArgument, "nil")
		_, err = graph.Cast(tonnx.Value{}, tonnx.Float32)
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = graph.Op("Relu", []tonnx.Value{node.Output(0)}, nil)
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = (*tonnx.Graph)(nil).Op("Relu", x, nil)
		wantError(t, err, tonnx.StatusArgument, "")
		_, err = (&tonnx.Graph{}).Constant(nil)
		wantError(t, err, tonnx.StatusArgument, "")
		if (*tonnx.Node)(nil).Operator() != "" || (&tonnx.Node{}).Operator() != "" {
			t.Error("a node of no graph has a name")
		}
		return typed(in[0], in[0])
	})
}

func TestSymbolicThatReturnsTheWrongValues(t *testing.T) {
	p, args := gelu(t), arguments(t, vector(t, 2))
	for part, results := range map[string][]tonnx.Value{
		"0 values": nil, "2 values": {{}, {}}, "returned no value for output 0": {{}},
	} {
		results := results
		_, err := tonnx.Export(p, args, nil, symbolic(t, "aten::gelu",
			func(*tonnx.Graph, *tonnx.Node, []tonnx.Value) ([]tonnx.Value, error) { return results, nil }))
		wantError(t, err, tonnx.StatusArgument, part)
	}
}

func TestBuiltInLoweringsAndBranches(t *testing.T) {
	p := program(t, "x: Tensor) -> Tensor", "return torch.silu(x)")
	run := func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		then, err := graph.AddSubgraph()
		if err != nil {
			return nil, err
		}
		other, err := graph.AddSubgraph()
		if err != nil {
			return nil, err
		}
		gate, err := then.Call("aten::sigmoid", in, nil)
		if err != nil {
			return nil, err
		}
		product, err := then.Op("Mul", []tonnx.Value{in[0], gate}, nil)
		if err != nil {
			return nil, err
		}
		if err := then.SetResults(product); err != nil {
			return nil, err
		}
		sorted, err := other.CallN("aten::sort", in, tonnx.Attributes{"descending": true}, 2)
		if err != nil {
			return nil, err
		}
		list, err := other.List(sorted[0], in[0])
		if err != nil {
			return nil, err
		}
		joined, err := other.Call("aten::cat", []tonnx.Value{list}, tonnx.Attributes{"dim": 1})
		if err != nil {
			return nil, err
		}
		if err := other.SetResults(joined); err != nil {
			return nil, err
		}
		if _, err := graph.AddInput(); err == nil || graph.Training() {
			t.Error("the graph of the symbolic has inputs, or is in training mode")
		}
		yes, err := tonnx.NewTensor(nil, []bool{true})
		if err != nil {
			return nil, err
		}
		defer yes.Close()
		condition, err := graph.Constant(yes)
		if err != nil {
			return nil, err
		}
		_, err = graph.Op("If", []tonnx.Value{condition}, tonnx.Attributes{"then_branch": (*tonnx.Graph)(nil)})
		wantError(t, err, tonnx.StatusArgument, "the sub-graph then_branch is nil")
		branches := tonnx.Attributes{"then_branch": then, "else_branch": other}
		chosen, err := graph.Op("If", []tonnx.Value{condition}, branches)
		if err != nil {
			return nil, err
		}
		_, err = graph.Op("If", []tonnx.Value{condition}, branches)
		wantError(t, err, tonnx.StatusArgument, "is part of a node already")
		return []tonnx.Value{chosen}, nil
	}
	args := arguments(t, vector(t, 2, 3))
	model := export(t, p, args, nil, symbolic(t, "aten::silu", run))
	if err := model.Verify(p, args, nil); err != nil {
		t.Error(err)
	}
}
