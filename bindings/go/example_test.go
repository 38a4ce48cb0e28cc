package tonnx_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// The road from an archive to a model file.
func Example() {
	program, err := tonnx.Load("relu.pt")
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	x, err := tonnx.NewTensor([]int64{2, 3}, []float32{-3, -2, -1, 0, 1, 2})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	args, err := tonnx.NewArgs(x)
	if err != nil {
		log.Fatal(err)
	}
	defer args.Close()
	model, err := tonnx.Export(program, args, &tonnx.Options{
		DynamicAxes: []tonnx.DynamicAxis{{Name: "x", Axis: 0, Symbol: "batch"}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	if err := model.Save("relu.onnx", nil); err != nil {
		log.Fatal(err)
	}
	text, err := tonnx.FileText("relu.onnx", tonnx.TextShort)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// graph(%x : Float(batch, 3)):
	//   %output : Float(batch, 3) = onnx::Relu(%x)
	//   return (%output)
}

// A symbolic converts an operator that tonnx does not know.
func ExampleRegistry_Add() {
	registry, err := tonnx.NewRegistry()
	if err != nil {
		log.Fatal(err)
	}
	defer registry.Close()
	err = registry.Add("my_ops::twice", 9,
		func(graph *tonnx.Graph, node *tonnx.Node, inputs []tonnx.Value) ([]tonnx.Value, error) {
			sum, err := graph.Op("Add", []tonnx.Value{inputs[0], inputs[0]}, nil)
			return []tonnx.Value{sum}, err
		})
	if err != nil {
		log.Fatal(err)
	}

	if err := tonnx.RegisterOperator("my_ops::twice(Tensor x) -> Tensor"); err != nil {
		log.Fatal(err)
	}
	program, args := load("custom.pt")
	defer program.Close()
	defer args.Close()
	model, err := tonnx.Export(program, args, nil, registry)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	text, err := model.Text(tonnx.TextShort)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// graph(%x : Float(2)):
	//   %output : Float(2) = onnx::Add(%x, %x), scope: Net
	//   return (%output)
}

// An error lists each operator that cannot be exported.
func ExampleError() {
	program, args := load("custom.pt")
	defer program.Close()
	defer args.Close()
	_, err := tonnx.Export(program, args, nil, nil)
	var failure *tonnx.Error
	if errors.As(err, &failure) && failure.Status == tonnx.StatusUnsupported {
		for _, reason := range failure.Reasons {
			fmt.Printf("%s: %s\n", reason.Operator, reason.Text)
		}
	}
	// Output:
	// my_ops::twice: exporting the operator 'my_ops::twice' to ONNX opset version 17 is not supported
}

// A model goes to any io.Writer.
func ExampleModel_WriteTo() {
	program, args := load("relu.pt")
	defer program.Close()
	defer args.Close()
	model, err := tonnx.Export(program, args, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	var file bytes.Buffer
	count, err := model.WriteTo(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(count == int64(file.Len()))
	// Output:
	// true
}

// load opens an archive and creates arguments for it.
func load(path string) (*tonnx.Program, *tonnx.Args) {
	program, err := tonnx.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	x, err := tonnx.NewTensor([]int64{2}, []float32{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	args, err := tonnx.NewArgs(x)
	if err != nil {
		log.Fatal(err)
	}
	return program, args
}
