package tonnx_test

import (
	"fmt"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// building is a symbolic that builds a node of that name.
func building(name string) tonnx.Symbolic {
	return func(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
		result, err := graph.Op(name, inputs[:1], nil)
		return []tonnx.Value{result}, err
	}
}

func decline(*tonnx.Graph, *tonnx.Node, []tonnx.Value) ([]tonnx.Value, error) {
	return nil, fmt.Errorf("not me: %w", tonnx.ErrDecline)
}

func TestRegistrySymbolicWinsOverTheBuiltIn(t *testing.T) {
	registry := symbolic(t, "aten::gelu", building("Relu"))
	p, args := gelu(t), arguments(t, vector(t, 2))
	wantText(t, text(t, p, args, nil, registry), "onnx::Relu")
	if err := registry.Add("aten::gelu", 9, building("Sigmoid")); err != nil {
		t.Fatal(err)
	}
	wantText(t, text(t, p, args, nil, registry), "onnx::Sigmoid")
	if err := registry.Add("aten::gelu", 18, building("Tanh")); err != nil {
		t.Fatal(err)
	}
	wantText(t, text(t, p, args, nil, registry), "onnx::Sigmoid")
	wantText(t, text(t, p, args, &tonnx.Options{Opset: 18}, registry), "onnx::Tanh")
	if err := registry.Remove("aten::gelu", 9); err != nil {
		t.Fatal(err)
	}
	wantText(t, text(t, p, args, nil, registry), "onnx::Erf")
	wantError(t, registry.Remove("aten::gelu", 9), tonnx.StatusArgument, "aten::gelu")
}

func TestRegistryAsksTheNextOneAfterADecline(t *testing.T) {
	registry := symbolic(t, "aten::gelu", decline)
	p, args := gelu(t), arguments(t, vector(t, 2))
	wantText(t, text(t, p, args, nil, registry), "onnx::Erf")
	if err := tonnx.RegisterOperator("tonnx_go::declined(Tensor x) -> Tensor"); err != nil {
		t.Fatal(err)
	}
	p = program(t, "x: Tensor) -> Tensor", "return ops.tonnx_go.declined(x)")
	_, err := tonnx.Export(p, args, nil, symbolic(t, "tonnx_go::declined", decline))
	wantError(t, err, tonnx.StatusUnsupported, "declined")
}

func TestRegistryChecksDeclaredArguments(t *testing.T) {
	registry := symbolic(t, "aten::elu", func(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
		if order, err := node.TensorsFirst(); len(order) != 4 || order[0] != 0 || order[3] != 3 {
			t.Error(order, err)
		}
		_, err := graph.Op("Elu", inputs[:1], tonnx.Attributes{"alpha_f": inputs[1]})
		wantError(t, err, tonnx.StatusArgument, "a Value is set by Attributes.SetSuffixed (alpha_f)")
		wrong := tonnx.Attributes{}
		wrong.SetSuffixed("alpha", inputs[1])
		_, err = graph.Op("Elu", inputs[:1], wrong)
		wantError(t, err, tonnx.StatusArgument, "as in 'dim_i' or 'dims_i'")
		alpha := tonnx.Attributes{"alpha": 2}
		alpha.SetSuffixed("alpha_f", inputs[1])
		alpha.SetSuffixed("alpha_i", tonnx.Value{}) // sets nothing
		elu, err := graph.Op("Elu", inputs[:1], alpha)
		return []tonnx.Value{elu}, err
	})
	p, args := program(t, "x: Tensor) -> Tensor", "return torch.elu(x, 0.5)"), arguments(t, vector(t, 2))
	if err := registry.SetArguments("aten::elu", 9, "v,f,none,none"); err != nil {
		t.Fatal(err)
	}
	wantText(t, text(t, p, args, nil, registry), "onnx::Elu[alpha=0.5]")
	if err := registry.SetArguments("aten::elu", 9, "v,i,none,none"); err != nil {
		t.Fatal(err)
	}
	_, err := tonnx.Export(p, args, nil, registry)
	wantError(t, err, tonnx.StatusCallback, "argument 'alpha' of aten::elu is not an int: it is 0.5")
	wantError(t, registry.SetArguments("aten::elu", 9, "v,x"), tonnx.StatusArgument, "is not a kind of argument")
}

func TestRegistryTakesFunctions(t *testing.T) {
	registry := newRegistry(t)
	twice := []byte(`<domain: "my", opset_import: ["" : 17]> Twice (X) => (Y) { Y = Add (X, X) }`)
	if err := registry.AddFunctions(twice, "aten::gelu", 0); err != nil {
		t.Fatal(err)
	}
	p, args := gelu(t), arguments(t, vector(t, 2))
	wantText(t, text(t, p, args, nil, registry), "my::Twice")
	if err := registry.Add("aten::gelu", 9, building("my::Twice")); err != nil {
		t.Fatal(err)
	}
	wantText(t, text(t, p, args, nil, registry), "my::Twice")
	wantError(t, registry.AddFunctions(nil, "", 0), tonnx.StatusArgument, "empty")
	wantError(t, registry.AddFunctions([]byte("<domain: 1>"), "", 0), tonnx.StatusArgument, "ONNX text format")
}

func TestRegistryListsWhatItHolds(t *testing.T) {
	registry := newRegistry(t)
	builtIn := len(registry.Registrations())
	if builtIn < 100 {
		t.Errorf("%d built-in lowerings", builtIn)
	}
	if err := registry.Add("tonnx_go::listed.overload", 11, relu); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range registry.Registrations() {
		found = found || r == tonnx.Registration{Name: "tonnx_go::listed.overload", Since: 11, Custom: true, Kind: "symbolic"}
	}
	if !found || len(registry.Registrations()) != builtIn+1 {
		t.Error(found, len(registry.Registrations()), builtIn)
	}
}

func TestRegistryRefusesWrongUse(t *testing.T) {
	registry := newRegistry(t)
	wantError(t, registry.Add("aten::gelu", 9, nil), tonnx.StatusArgument, "the symbolic is nil")
	wantError(t, registry.Add("", 9, relu), tonnx.StatusArgument, "")
	wantError(t, registry.Add("gelu", 9, relu), tonnx.StatusArgument, "gelu")
	wantError(t, registry.Add("aten::gelu", 1<<32, relu), tonnx.StatusArgument, "out of range")
	wantError(t, registry.Remove("aten::gelu", -1<<32), tonnx.StatusArgument, "out of range")
}

func TestRegistryClosedTwiceAndUsed(t *testing.T) {
	closed := newRegistry(t)
	closed.Close()
	closed.Close()
	for _, registry := range []*tonnx.Registry{closed, nil, {}} {
		wantError(t, registry.Add("aten::gelu", 9, relu), tonnx.StatusArgument, "the registry")
		wantError(t, registry.Remove("aten::gelu", 9), tonnx.StatusArgument, "the registry")
		if registry.Registrations() != nil {
			t.Error("a closed registry lists something")
		}
		registry.Close()
	}
	_, err := tonnx.Export(gelu(t), arguments(t, vector(t, 2)), nil, closed)
	wantError(t, err, tonnx.StatusArgument, "the registry is closed")
}
