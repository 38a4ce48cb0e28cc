package main

import (
	"fmt"
	"os"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	program, err := tonnx.Load("net.pt2")
	check(err)
	none, err := tonnx.NewArgs()
	check(err)
	model, err := tonnx.Export(program, none, nil, nil)
	check(err)
	check(model.Save("net.pt2.onnx", nil))
	_, err = tonnx.Compile(os.Args[1], "", nil)
	fmt.Println(err)
	check(tonnx.LoadLibTorch("/mnt/site/torch/lib"))
	program, err = tonnx.Compile(os.Args[1], "", nil)
	check(err)
	x, err := tonnx.NewTensor([]int64{2, 3}, []float32{1, 2, 3, 4, 5, 6})
	check(err)
	args, err := tonnx.NewArgs(x)
	check(err)
	model, err = tonnx.Export(program, args, &tonnx.Options{DynamicAxes: []tonnx.DynamicAxis{{Name: "x", Symbol: "n"}}}, nil)
	check(err)
	check(model.Verify(program, args, nil))
	fmt.Println("agrees")
}
