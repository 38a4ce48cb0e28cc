package tonnx_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// same returns the traced inputs as results.
func same(recorder *tonnx.Recorder) error {
	if err := recorder.Enter("Same", "same"); err != nil {
		return err
	}
	for i := 0; i < recorder.InputCount(); i++ {
		if err := recorder.Output("", recorder.Input(i)); err != nil {
			return err
		}
	}
	return recorder.Leave()
}

func TestTraceOfAFunction(t *testing.T) {
	args := arguments(t, vector(t, 2), vector(t, 3))
	p, err := tonnx.Trace(args, nil, same)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	model := export(t, p, args, nil, nil)
	wantText(t, text(t, p, args, nil, nil), "onnx::Identity")
	if len(model.InputNames()) != 2 || len(model.OutputNames()) != 2 {
		t.Error(model.InputNames(), model.OutputNames())
	}
	if err := model.Verify(p, nil, nil); err != nil {
		t.Error(err)
	}
	if _, err := p.Text(nil, nil, tonnx.TextShort); err != nil {
		t.Error(err)
	}
}

func TestTensorOfALibTorchTensor(t *testing.T) {
	var shared *tonnx.Tensor
	p, err := tonnx.Trace(arguments(t, vector(t, 2, 2)), nil, func(recorder *tonnx.Recorder) error {
		var err error
		if shared, err = tonnx.NewTensorFromTorch(recorder.Input(0)); err != nil {
			return err
		}
		return recorder.Output("named", recorder.Input(0))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer shared.Close()
	copied, err := shared.NewTorch()
	if err != nil {
		t.Fatal(err)
	}
	defer tonnx.DeleteTorch(copied)
	back, err := tonnx.NewTensorFromTorch(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	given, err := shared.NewDLPack()
	if err != nil {
		t.Fatal(err)
	}
	taken, err := tonnx.NewTensorFromDLPack(given)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tensor := range []*tonnx.Tensor{back, taken} {
		if elements, err := tonnx.Elements[float32](tensor); err != nil || len(elements) != 4 || elements[3] != 3 {
			t.Error(elements, err)
		}
	}
	if elements, err := tonnx.Elements[float32](shared); err != nil || len(elements) != 4 || elements[3] != 3 {
		t.Error(elements, err)
	}
}

func TestTraceThatFails(t *testing.T) {
	args := arguments(t, vector(t, 2))
	given := &refusal{"not traced"}
	_, err := tonnx.Trace(args, nil, func(*tonnx.Recorder) error { return given })
	wantError(t, err, tonnx.StatusCallback, "not traced")
	if !errors.Is(err, given) {
		t.Error("the function's error is lost")
	}
	first := true
	rows := &tonnx.TraceOptions{DynamicAxes: []tonnx.TraceAxis{{Symbol: "rows"}}}
	_, err = tonnx.Trace(args, rows, func(recorder *tonnx.Recorder) error {
		if !first {
			return given
		}
		first = false
		return same(recorder)
	})
	wantError(t, err, tonnx.StatusProgram, "not traced")
	if !errors.Is(err, given) {
		t.Error("the error of a later run is lost")
	}
	func() {
		defer func() {
			if value := recover(); value != given {
				t.Error(value)
			}
		}()
		tonnx.Trace(args, nil, func(*tonnx.Recorder) error { panic(given) })
		t.Error("the panic is lost")
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		tonnx.Trace(args, nil, func(*tonnx.Recorder) error { runtime.Goexit(); return nil })
		t.Error("the goroutine goes on")
	}()
	<-done
	_, err = tonnx.Trace(args, nil, nil)
	wantError(t, err, tonnx.StatusArgument, "nil")
	_, err = tonnx.Trace(args, nil, func(*tonnx.Recorder) error { return nil })
	if err == nil {
		t.Error("a trace without results is a program")
	}
	p, err := tonnx.Trace(args, nil, same)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}

func TestTraceWhoseInputsAreMade(t *testing.T) {
	asked := map[int64]bool{}
	options := &tonnx.TraceOptions{
		DynamicAxes: []tonnx.TraceAxis{{Symbol: "batch"}},
		Sizes:       map[string][]int64{"batch": {7}},
		Resize: func(sizes map[string]int64) (*tonnx.Args, error) {
			asked[sizes["batch"]] = true
			return tonnx.NewArgs(vector(t, sizes["batch"], 3))
		},
	}
	elements := map[int]bool{}
	record := func(recorder *tonnx.Recorder) error {
		shared, err := tonnx.NewTensorFromTorch(recorder.Input(0))
		if err != nil {
			return err
		}
		defer shared.Close()
		all, err := tonnx.Elements[float32](shared)
		elements[int(all[len(all)-1])] = true
		if err != nil {
			return err
		}
		return same(recorder)
	}
	args := arguments(t, vector(t, 2, 3))
	p, err := tonnx.Trace(args, options, record)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for size := range asked {
		if !asked[7] || !elements[int(3*size-1)] {
			t.Error(asked, elements)
		}
	}
	if len(asked) < 2 {
		t.Error(asked)
	}
	model := export(t, p, args, nil, nil)
	verify := func(size int64) error {
		return model.Verify(p, nil, &tonnx.VerifyOptions{Sizes: map[string]int64{"batch": size}, Warn: unexpected(t)})
	}
	if err := verify(7); err != nil {
		t.Error(err)
	}
	wantError(t, verify(1000), tonnx.StatusArgument, "not run at these sizes")
}

func TestTraceWhoseInputsCannotBeMade(t *testing.T) {
	given := &refusal{"no more inputs"}
	closed := arguments(t, 1)
	closed.Close()
	args := arguments(t, vector(t, 2))
	trace := func(resize func(map[string]int64) (*tonnx.Args, error)) error {
		options := &tonnx.TraceOptions{DynamicAxes: []tonnx.TraceAxis{{}}, Resize: resize}
		_, err := tonnx.Trace(args, options, same)
		return err
	}
	err := trace(func(map[string]int64) (*tonnx.Args, error) { return nil, given })
	wantError(t, err, tonnx.StatusCallback, "no more inputs")
	if !errors.Is(err, given) {
		t.Error("the function's error is lost")
	}
	err = trace(func(map[string]int64) (*tonnx.Args, error) { panic(given) })
	var found *tonnx.PanicError
	if !errors.As(err, &found) || found.Value != given {
		t.Error(err)
	}
	wantError(t, trace(func(map[string]int64) (*tonnx.Args, error) { return nil, nil }), tonnx.StatusCallback, "nil")
	wantError(t, trace(func(map[string]int64) (*tonnx.Args, error) { return closed, nil }), tonnx.StatusCallback, "closed")
	err = trace(func(map[string]int64) (*tonnx.Args, error) { return tonnx.NewArgs() }) // not like the example
	wantError(t, err, tonnx.StatusArgument, "")
}

func TestTraceRefusesWrongUse(t *testing.T) {
	args := arguments(t, vector(t, 2))
	var kept *tonnx.Recorder
	var inner error
	p, err := tonnx.Trace(args, nil, func(recorder *tonnx.Recorder) error {
		kept = recorder
		_, inner = tonnx.Trace(args, nil, same)
		wantError(t, recorder.Output("", nil), tonnx.StatusArgument, "")
		wantError(t, recorder.Weight("w", nil), tonnx.StatusArgument, "")
		wantError(t, recorder.Weight("w\x00", recorder.Input(0)), tonnx.StatusArgument, "NUL")
		wantError(t, recorder.Leave(), tonnx.StatusArgument, "")
		own, err := recorder.NewInput(0)
		if err != nil || own == nil {
			t.Error(own, err)
		}
		tonnx.DeleteTorch(own)
		for _, index := range []int{-1, 1} {
			_, err := recorder.NewInput(index)
			wantError(t, err, tonnx.StatusArgument, "no input")
			if recorder.Input(index) != nil {
				t.Errorf("there is an input %d", index)
			}
		}
		return same(recorder)
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	wantError(t, inner, tonnx.StatusArgument, "")
	for _, recorder := range []*tonnx.Recorder{kept, nil, {}} {
		if recorder.InputCount() != 0 || recorder.Input(0) != unsafe.Pointer(nil) {
			t.Error("a recorder has inputs after its trace")
		}
		wantError(t, recorder.Enter("A", "a"), tonnx.StatusArgument, "")
		wantError(t, recorder.Leave(), tonnx.StatusArgument, "")
		wantError(t, recorder.Output("", nil), tonnx.StatusArgument, "")
		wantError(t, recorder.Weight("", nil), tonnx.StatusArgument, "")
	}
}
