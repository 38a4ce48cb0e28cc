// Exports an archive that holds a custom operator, my_ops::gated_softmax, by a symbolic for it.
//
//	custom_operator LIBRARY ARCHIVE OUTPUT.onnx
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// unsupportedAlpha is what the first symbolic fails with.
type unsupportedAlpha float64

func (alpha unsupportedAlpha) Error() string {
	return fmt.Sprintf("alpha %v is not supported yet", float64(alpha))
}

func refuse(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
	alpha, err := inputs[1].Float()
	if err != nil {
		return nil, err
	}
	return nil, unsupportedAlpha(alpha)
}

// gatedSoftmax builds softmax(x * sigmoid(alpha * x)) over the last axis.
func gatedSoftmax(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
	x := inputs[0]
	rank, known := x.Rank()
	if x.DType() != tonnx.Float32 || !known {
		return nil, tonnx.ErrDecline
	}
	alpha, err := inputs[1].Float()
	if err != nil {
		return nil, err
	}
	gated, err := graph.Op("com.microsoft::QuickGelu", []tonnx.Value{x}, tonnx.Attributes{"alpha": alpha})
	if err != nil {
		return nil, err
	}
	if err := gated.CopyType(x); err != nil {
		return nil, err
	}
	result, err := graph.Op("Softmax", []tonnx.Value{gated}, tonnx.Attributes{"axis": rank - 1})
	if err != nil {
		return nil, err
	}
	return []tonnx.Value{result}, nil
}

func run(library, archive, output string) error {
	if err := tonnx.LoadOperators(library); err != nil {
		return err
	}
	program, err := tonnx.Load(archive)
	if err != nil {
		return err
	}
	defer program.Close()

	elements := make([]float32, 8)
	for i := range elements {
		elements[i] = 0.25*float32(i) - 1
	}
	tokens, err := tonnx.NewTensor([]int64{2, 4}, elements)
	if err != nil {
		return err
	}
	defer tokens.Close()
	args, err := tonnx.NewArgs(tokens)
	if err != nil {
		return err
	}
	defer args.Close()
	options := &tonnx.Options{
		Opset:        15,
		InputNames:   []string{"tokens"},
		OutputNames:  []string{"weights"},
		DynamicAxes:  []tonnx.DynamicAxis{{Name: "tokens", Axis: 0, Symbol: "batch"}},
		CustomOpsets: map[string]int64{"com.microsoft": 1},
	}
	registry, err := tonnx.NewRegistry()
	if err != nil {
		return err
	}
	defer registry.Close()

	if err := registry.Add("my_ops::gated_softmax", 9, refuse); err != nil {
		return err
	}
	_, err = tonnx.Export(program, args, options, registry)
	var alpha unsupportedAlpha
	var refused *tonnx.Error
	if !errors.As(err, &alpha) || !errors.As(err, &refused) {
		return fmt.Errorf("the first symbolic's error is lost: %w", err)
	}
	reason := refused.Reasons[0]
	fmt.Printf("refused: %s at %s: %s\n", reason.Operator, reason.Module, reason.Text)

	if err := registry.Add("my_ops::gated_softmax", 9, gatedSoftmax); err != nil {
		return err
	}
	model, err := tonnx.Export(program, args, options, registry)
	if err != nil {
		return err
	}
	defer model.Close()
	inMemory, err := model.Bytes()
	if err != nil {
		return err
	}
	if err := model.Save(output, nil); err != nil {
		return err
	}
	saved, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	if !bytes.Equal(saved, inMemory) {
		return fmt.Errorf("%s is not what the model's bytes are", output)
	}
	if err := model.Verify(program, args, nil); err != nil {
		return err
	}
	fmt.Println("verified")
	text, err := model.Text(tonnx.TextShort)
	fmt.Print(text)
	return err
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: custom_operator LIBRARY ARCHIVE OUTPUT.onnx")
		os.Exit(1)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
