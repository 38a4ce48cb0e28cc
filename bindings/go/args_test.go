package tonnx_test

import (
	"path/filepath"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func TestArgsOfEachKind(t *testing.T) {
	p := program(t, "x: Tensor, n: int, scale: float, flag: bool, mode: str, sizes: List[int], "+
		"pair: Tuple[Tensor, Tensor], table: Dict[str, Tensor], mask: Optional[Tensor]) -> Tensor",
		"y = torch.add(torch.mul(x, scale), n)",
		"first, second, = pair",
		"z = torch.add(torch.add(first, second), table[\"key\"])",
		"return torch.add(torch.reshape(y, sizes), z)")
	x := vector(t, 2, 3)
	args := arguments(t, x, 2, 0.5, true, "none", tonnx.List{3, int64(2)})
	if err := args.Add(tonnx.Tuple{vector(t, 2), vector(t, 2)}, tonnx.Dict{{"key", vector(t, 2)}}); err != nil {
		t.Fatal(err)
	}
	if err := args.AddKeyword("mask", nil); err != nil {
		t.Fatal(err)
	}
	if args.Count() != 9 {
		t.Errorf("%d arguments", args.Count())
	}
	model := export(t, p, args, nil, nil)
	if err := model.Verify(p, args, nil); err != nil {
		t.Error(err)
	}
}

func TestArgsByKeyword(t *testing.T) {
	p := program(t, "x: Tensor, y: Tensor) -> Tensor", "return torch.sub(x, y)")
	args := arguments(t)
	if err := args.AddKeyword("y", vector(t, 2)); err != nil {
		t.Fatal(err)
	}
	if err := args.AddKeyword("x", vector(t, 1)); err != nil {
		t.Fatal(err)
	}
	if err := export(t, p, args, nil, nil).Verify(p, args, nil); err != nil {
		t.Error(err)
	}
	wantError(t, args.Add(vector(t, 1)), tonnx.StatusArgument, "")
}

func TestArgsRefuseWhatIsNoArgumentAndStayAsTheyWere(t *testing.T) {
	args := arguments(t, 1)
	wantError(t, args.Add(2, struct{}{}), tonnx.StatusArgument, "struct {}")
	wantError(t, args.Add(tonnx.List{2, tonnx.Tuple{uint8(3)}}), tonnx.StatusArgument, "uint8")
	wantError(t, args.Add(tonnx.Dict{{"a\x00", 1}}), tonnx.StatusArgument, "NUL")
	wantError(t, args.Add((*tonnx.Tensor)(nil)), tonnx.StatusArgument, "the tensor is nil")
	wantError(t, args.AddKeyword("x", make(chan int)), tonnx.StatusArgument, "chan int")
	if args.Count() != 1 {
		t.Errorf("%d arguments, not 1", args.Count())
	}
	if err := args.Add(2); err != nil || args.Count() != 2 {
		t.Error(args.Count(), err)
	}
}

func TestArgsFromAFileThatIsMissing(t *testing.T) {
	_, err := tonnx.LoadArgs(filepath.Join(t.TempDir(), "none.pt"))
	wantError(t, err, tonnx.StatusFile, "none.pt")
}

func TestArgsClosedTwiceAndUsed(t *testing.T) {
	closed := arguments(t, 1)
	closed.Close()
	closed.Close()
	for _, args := range []*tonnx.Args{closed, nil, {}} {
		wantError(t, args.Add(1), tonnx.StatusArgument, "the argument list")
		wantError(t, args.AddKeyword("x", 1), tonnx.StatusArgument, "the argument list")
		if args.Count() != 0 {
			t.Error(args.Count())
		}
		_, err := tonnx.Export(gelu(t), args, nil, nil)
		wantError(t, err, tonnx.StatusArgument, "the argument list")
		_, err = tonnx.Trace(args, nil, func(*tonnx.Recorder) error { return nil })
		wantError(t, err, tonnx.StatusArgument, "the argument list")
		args.Close()
	}
}
