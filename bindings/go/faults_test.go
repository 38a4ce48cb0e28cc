package tonnx_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// twice is a program of two aten::gelu.
func twice(t testing.TB) *tonnx.Program {
	t.Helper()
	return program(t, "x: Tensor) -> Tensor", "y = torch.gelu(x, approximate=\"none\")",
		"return torch.gelu(y, approximate=\"none\")")
}

// collected waits for the garbage collector to finalize something.
func collected(t *testing.T, what string, done *atomic.Bool) {
	t.Helper()
	for i := 0; i < 200; i++ {
		runtime.GC()
		if done.Load() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%s is never collected", what)
}

func TestSymbolicThatFailsTheSecondTime(t *testing.T) {
	for _, fail := range []func() error{
		func() error { return &refusal{"second"} },
		func() error { panic(&refusal{"second"}) },
	} {
		calls := 0
		registry := symbolic(t, "aten::gelu",
			func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
				calls++
				if calls%2 == 0 {
					return nil, fail()
				}
				return relu(graph, node, in)
			})
		for i := 0; i < 3; i++ {
			_, err := tonnx.Export(twice(t), arguments(t, vector(t, 2)), nil, registry)
			wantError(t, err, tonnx.StatusCallback, "second")
			var found *refusal
			if !errors.As(err, &found) {
				t.Errorf("the symbolic's error is lost in %v", err)
			}
		}
		if calls != 6 {
			t.Errorf("%d calls", calls)
		}
	}
}

// dropped makes a registry whose symbolic nothing else in Go refers to.
func dropped(t *testing.T, gone *atomic.Bool) *tonnx.Registry {
	t.Helper()
	name := &struct{ text string }{"Relu"}
	runtime.SetFinalizer(name, func(any) { gone.Store(true) })
	registry, err := tonnx.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	err = registry.Add("aten::gelu", 9,
		func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
			runtime.GC()
			result, err := graph.Op(name.text, in[:1], nil)
			runtime.GC()
			return []tonnx.Value{result}, err
		})
	if err != nil {
		t.Fatal(err)
	}
	return registry
}

func TestSymbolicLivesAsLongAsItsRegistry(t *testing.T) {
	var gone atomic.Bool
	registry := dropped(t, &gone)
	for i := 0; i < 5; i++ {
		runtime.GC()
	}
	wantText(t, text(t, twice(t), arguments(t, vector(t, 2)), nil, registry), "onnx::Relu")
	if gone.Load() {
		t.Error("the symbolic was collected while its registry was open")
	}
	registry.Close()
	collected(t, "the symbolic of a closed registry", &gone)
}

func TestForgottenObjectsAreFreed(t *testing.T) {
	var gone atomic.Bool
	func() { dropped(t, &gone) }()
	collected(t, "a forgotten registry", &gone)
}

func TestReplacedAndRefusedSymbolicsAreLetGo(t *testing.T) {
	var replaced, removed atomic.Bool
	first, second := dropped(t, &replaced), dropped(t, &removed)
	defer first.Close()
	defer second.Close()
	if err := first.Add("aten::gelu", 9, relu); err != nil {
		t.Fatal(err)
	}
	if err := second.Remove("aten::gelu", 9); err != nil {
		t.Fatal(err)
	}
	collected(t, "a replaced symbolic", &replaced)
	collected(t, "a removed symbolic", &removed)

	var refused atomic.Bool
	func() {
		kept := new([16]int)
		runtime.SetFinalizer(kept, func(any) { refused.Store(true) })
		err := first.Add("no name", 9, func(*tonnx.Graph, *tonnx.Node, []tonnx.Value) ([]tonnx.Value, error) {
			return nil, fmt.Errorf("%v", kept)
		})
		wantError(t, err, tonnx.StatusArgument, "no name")
	}()
	collected(t, "a refused symbolic", &refused)
}

func TestObjectsOnlyTheExportRefersTo(t *testing.T) {
	collecting := func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		for i := 0; i < 3; i++ {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		return relu(graph, node, in)
	}
	model, err := func() (*tonnx.Model, error) {
		content := archive("x: Tensor) -> Tensor", "return torch.gelu(x, approximate=\"none\")")
		p, err := tonnx.LoadBytes(content)
		if err != nil {
			return nil, err
		}
		x, err := tonnx.NewTensor([]int64{2}, []float32{1, 2})
		if err != nil {
			return nil, err
		}
		args, err := tonnx.NewArgs(x)
		if err != nil {
			return nil, err
		}
		registry, err := tonnx.NewRegistry()
		if err != nil {
			return nil, err
		}
		if err := registry.Add("aten::gelu", 9, collecting); err != nil {
			return nil, err
		}
		return tonnx.Export(p, args, nil, registry)
	}()
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	runtime.GC()
	if _, err := model.Bytes(); err != nil {
		t.Error(err)
	}
}

func TestObjectsClosedInAnyOrder(t *testing.T) {
	for first := 0; first < 5; first++ {
		x := vector(t, 2)
		p, args, registry := gelu(t), arguments(t, x), symbolic(t, "aten::gelu", relu)
		model := export(t, p, args, nil, registry)
		all := []interface{ Close() error }{x, p, args, registry, model}
		for i := range all {
			if all[(first+i)%len(all)].Close(); (first+i)%len(all) == 4 {
				continue
			}
			if _, err := model.Bytes(); err != nil && first+i < 4 {
				t.Error(err)
			}
		}
		for _, object := range all {
			object.Close()
		}
	}
}

func TestObjectsClosedInsideTheSymbolic(t *testing.T) {
	x := vector(t, 2)
	p, args, registry := twice(t), arguments(t, x), newRegistry(t)
	var added, removed, changed error
	err := registry.Add("aten::gelu", 9,
		func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
			if added == nil {
				added = registry.Add("aten::gelu", 9, relu)
				removed = registry.Remove("aten::gelu", 9)
				changed = args.Add(1)
			}
			for _, object := range []interface{ Close() error }{x, p, args, registry} {
				object.Close()
			}
			runtime.GC()
			return relu(graph, node, in)
		})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, text(t, p, args, nil, registry), "onnx::Relu")
	for _, err := range []error{added, removed, changed} {
		wantError(t, err, tonnx.StatusArgument, "in use by another call")
	}
	_, err = tonnx.Export(p, args, nil, registry)
	wantError(t, err, tonnx.StatusArgument, "is closed")
}

func TestGraphUsedAfterTheSymbolicReturned(t *testing.T) {
	var graph *tonnx.Graph
	var node *tonnx.Node
	var value tonnx.Value
	var late error
	var wait sync.WaitGroup
	returned := make(chan struct{})
	registry := symbolic(t, "aten::gelu", func(g *tonnx.Graph, n *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		graph, node, value = g, n, in[0]
		wait.Add(1)
		go func() {
			defer wait.Done()
			<-returned
			_, late = g.Op("Relu", in[:1], nil)
		}()
		return relu(g, n, in)
	})
	export(t, gelu(t), arguments(t, vector(t, 2)), nil, registry)
	close(returned)
	wait.Wait()
	wantError(t, late, tonnx.StatusArgument, "after its symbolic returned")
	_, err := graph.Op("Relu", []tonnx.Value{value}, nil)
	wantError(t, err, tonnx.StatusArgument, "after its symbolic returned")
	_, err = graph.Constant(vector(t, 2))
	wantError(t, err, tonnx.StatusArgument, "after its symbolic returned")
	_, err = graph.Cast(value, tonnx.Int64)
	wantError(t, err, tonnx.StatusArgument, "after its symbolic returned")
	_, err = value.Int()
	wantError(t, err, tonnx.StatusArgument, "after its symbolic returned")
	wantError(t, value.SetType(tonnx.Float32, 2), tonnx.StatusArgument, "after its symbolic returned")
	later := symbolic(t, "aten::gelu", func(g *tonnx.Graph, n *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		_, err := g.Op("Relu", []tonnx.Value{value}, nil)
		wantError(t, err, tonnx.StatusArgument, "another graph")
		_, err = g.Cast(value, tonnx.Int64)
		wantError(t, err, tonnx.StatusArgument, "another graph")
		return []tonnx.Value{value}, nil
	})
	_, err = tonnx.Export(gelu(t), arguments(t, vector(t, 2)), nil, later)
	wantError(t, err, tonnx.StatusCallback, "another graph")
	_, known := value.Rank()
	if known || value.DType() != tonnx.Undefined || value.Dim(0) != -1 || value.IsConstant() || value.IsNone() ||
		graph.Opset() != 0 || node.Operator() != "" || node.OutputCount() != 0 || node.Output(0) != (tonnx.Value{}) {
		t.Error("a value is readable after the symbolic returned")
	}
}

func TestExportInsideASymbolic(t *testing.T) {
	innerCause := &refusal{"inner"}
	var innerErr error
	var kept tonnx.Value
	inner := symbolic(t, "aten::gelu", func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		_, err := graph.Op("Relu", []tonnx.Value{kept}, nil)
		wantError(t, err, tonnx.StatusArgument, "another graph")
		wantError(t, in[0].CopyType(kept), tonnx.StatusArgument, "same symbolic")
		return nil, innerCause
	})
	outerCause := &refusal{"outer"}
	outer := symbolic(t, "aten::gelu", func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
		if innerErr != nil {
			return nil, outerCause
		}
		kept = in[0]
		_, innerErr = tonnx.Export(gelu(t), arguments(t, vector(t, 2)), nil, inner)
		return relu(graph, node, in)
	})
	_, err := tonnx.Export(twice(t), arguments(t, vector(t, 2)), nil, outer)
	wantError(t, innerErr, tonnx.StatusCallback, "inner")
	wantError(t, err, tonnx.StatusCallback, "outer")
	if !errors.Is(innerErr, innerCause) || errors.Is(innerErr, outerCause) {
		t.Errorf("%v is not the inner symbolic's error", errors.Unwrap(innerErr))
	}
	if !errors.Is(err, outerCause) || errors.Is(err, innerCause) {
		t.Errorf("%v is not the outer symbolic's error", errors.Unwrap(err))
	}
}

func TestExportsAtOnce(t *testing.T) {
	const goroutines, rounds = 8, 20
	var running, together atomic.Int32
	p, args, registry := twice(t), arguments(t, vector(t, 2)), newRegistry(t)
	err := registry.Add("aten::gelu", 9,
		func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
			if running.Add(1) > 1 {
				together.Add(1)
			}
			defer running.Add(-1)
			time.Sleep(time.Millisecond)
			if graph.Opset() == 9 {
				return nil, &refusal{fmt.Sprintf("refused %p", graph)}
			}
			return relu(graph, node, in)
		})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for g := 0; g < goroutines; g++ {
		wait.Add(1)
		go func(fails bool) {
			defer wait.Done()
			for i := 0; i < rounds; i++ {
				if !fails {
					model, err := tonnx.Export(p, args, nil, registry)
					if err != nil {
						t.Error(err)
						return
					}
					model.Close()
					continue
				}
				_, err := tonnx.Export(p, args, &tonnx.Options{Opset: 9}, registry)
				var found *refusal
				if !errors.As(err, &found) || err.(*tonnx.Error).Reasons[0].Text != found.why {
					t.Errorf("%v holds another export's error: %v", err, found)
					return
				}
			}
		}(g%2 == 0)
	}
	wait.Wait()
	if together.Load() == 0 {
		t.Error("no two symbolics ran at once")
	}
}

func TestRegistryChangedByTwoGoroutines(t *testing.T) {
	registry := newRegistry(t)
	var wait sync.WaitGroup
	for g := 0; g < 4; g++ {
		wait.Add(1)
		go func(name string) {
			defer wait.Done()
			for i := 0; i < 200; i++ {
				if err := registry.Add(name, 9, relu); err != nil {
					wantError(t, err, tonnx.StatusArgument, "in use by another call")
				}
				_ = registry.Registrations()
			}
		}(fmt.Sprintf("tonnx_go::changed%d", g))
	}
	wait.Wait()
}
