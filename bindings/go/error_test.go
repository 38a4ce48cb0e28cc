package tonnx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// A refusal is an error type of the caller's own.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

// failing exports a program whose symbolic fails so.
func failing(t *testing.T, run func() error) error {
	t.Helper()
	_, err := tonnx.Export(gelu(t), arguments(t, vector(t, 2)), nil, symbolic(t, "aten::gelu",
		func(*tonnx.Graph, *tonnx.Node, []tonnx.Value) ([]tonnx.Value, error) { return nil, run() }))
	return err
}

func TestErrorOfASymbolicComesBackItself(t *testing.T) {
	given := &refusal{"not today"}
	err := failing(t, func() error { return fmt.Errorf("outer: %w", given) })
	wantError(t, err, tonnx.StatusCallback, "not today")
	var found *refusal
	if !errors.As(err, &found) || found != given {
		t.Errorf("%#v is not the error that was returned", found)
	}
	if !errors.Is(err, given) || !errors.Is(err, tonnx.StatusCallback) || errors.Is(err, tonnx.StatusFile) {
		t.Errorf("errors.Is fails for %v", err)
	}
	failure := err.(*tonnx.Error)
	if failure.Class != "CallbackError" || len(failure.Reasons) != 1 {
		t.Fatalf("%+v", failure)
	}
	if reason := failure.Reasons[0]; reason.Operator != "aten::gelu" || reason.Text != "outer: not today" ||
		reason.Places != 1 {
		t.Errorf("%+v", reason)
	}
}

func TestPanicInASymbolicIsAnError(t *testing.T) {
	given := &refusal{"thrown"}
	err := failing(t, func() error { panic(given) })
	wantError(t, err, tonnx.StatusCallback, "panic: thrown")
	var found *tonnx.PanicError
	if !errors.As(err, &found) || found.Value != given || !strings.Contains(string(found.Stack), "failing") {
		t.Errorf("%+v", found)
	}
	if !errors.Is(err, given) {
		t.Error("the panic's value is lost")
	}
	err = failing(t, func() error {
		var none []int
		_ = none[len(none)]
		return nil
	})
	wantError(t, err, tonnx.StatusCallback, "index out of range")
	err = failing(t, func() error {
		var none *refusal
		return errors.New(none.why)
	})
	wantError(t, err, tonnx.StatusCallback, "nil pointer")
	wantError(t, failing(t, func() error { panic(nil) }), tonnx.StatusCallback, "nil")
}

func TestErrorWhoseTextPanicsOrIsNoText(t *testing.T) {
	wantError(t, failing(t, func() error { return (*refusal)(nil) }), tonnx.StatusCallback, "<nil>")
	wantError(t, failing(t, func() error { return errors.New("a\x00b") }), tonnx.StatusCallback, "a\uFFFDb")
	wantError(t, failing(t, func() error { return errors.New("a\xffb") }), tonnx.StatusCallback, "a\uFFFDb")
	wantError(t, failing(t, func() error { return errors.New("") }), tonnx.StatusCallback, "")
}

func TestUnsupportedOperatorsAreAllListed(t *testing.T) {
	for _, name := range []string{"left", "right"} {
		if err := tonnx.RegisterOperator("tonnx_go::" + name + "(Tensor x) -> Tensor"); err != nil {
			t.Fatal(err)
		}
	}
	p := program(t, "x: Tensor) -> Tensor", "return torch.add(ops.tonnx_go.left(x), ops.tonnx_go.right(x))")
	_, err := tonnx.Export(p, arguments(t, vector(t, 2)), nil, nil)
	wantError(t, err, tonnx.StatusUnsupported, "tonnx_go::left")
	failure, ok := err.(*tonnx.Error)
	if !ok || len(failure.Reasons) != 2 || failure.Reasons[1].Operator != "tonnx_go::right" ||
		failure.Class != "UnsupportedOperatorError" || errors.Unwrap(err) != nil {
		t.Errorf("%+v", failure)
	}
}

func TestStatusNames(t *testing.T) {
	for status := tonnx.StatusOK; status <= tonnx.StatusWarning; status++ {
		if status.Error() == "" {
			t.Errorf("status %d has no name", int32(status))
		}
	}
	if tonnx.StatusUnsupported.Error() != "unsupported" {
		t.Error(tonnx.StatusUnsupported.Error())
	}
	if tonnx.Status(99).Error() == "" {
		t.Error("an unknown status has no name")
	}
}

func TestNulInAStringIsRefused(t *testing.T) {
	_, err := tonnx.Load("a\x00b")
	wantError(t, err, tonnx.StatusArgument, "NUL")
	_, err = tonnx.LoadArgs("a\x00b")
	wantError(t, err, tonnx.StatusArgument, "NUL")
	_, err = tonnx.FileText("a\x00b", tonnx.TextShort)
	wantError(t, err, tonnx.StatusArgument, "NUL")
	wantError(t, tonnx.LoadOperators("a\x00b"), tonnx.StatusArgument, "NUL")
	wantError(t, tonnx.RegisterOperator("a\x00b"), tonnx.StatusArgument, "NUL")
	wantError(t, tonnx.CheckFile("a\x00b"), tonnx.StatusArgument, "NUL")
	wantError(t, newRegistry(t).Add("a::b\x00", 9, relu), tonnx.StatusArgument, "NUL")
	wantError(t, newRegistry(t).Remove("a::b\x00", 9), tonnx.StatusArgument, "NUL")
	_, err = tonnx.NewArgs("a\x00b")
	wantError(t, err, tonnx.StatusArgument, "NUL")
}
