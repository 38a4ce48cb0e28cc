// Trains a network that C++ code defines, traces it with a dynamic batch, exports and verifies it, and prints the report.
//
//	quadrants [OUTPUT.onnx]
//
// In a checkout, after make build (docs/go.md):
//
//	ninja -C build examples/libquadrants.so
//	export PKG_CONFIG_PATH=$PWD/build/meson-uninstalled
//	export CGO_LDFLAGS="-L$PWD/build/examples -Wl,-rpath,$PWD/build:$PWD/build/examples"
//	cd examples/go && go run ./quadrants
package main

// #cgo CFLAGS: -I${SRCDIR}/../../quadrants
// #cgo LDFLAGS: -lquadrants
// #include "network.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func run(path string) error {
	network := C.network_new(0)
	if network == nil {
		return errors.New("the network cannot be made")
	}
	defer C.network_free(network)
	share := float64(C.network_train(network, 150))
	if share < 0 {
		return errors.New("the network cannot be trained")
	}
	fmt.Printf("trained: %.4g %% of new images are correct\n", 100*share)

	images, err := tonnx.NewTensor([]int64{2, 1, 8, 8}, make([]float32, 2*8*8))
	if err != nil {
		return err
	}
	args, err := tonnx.NewArgs(images)
	if err != nil {
		return err
	}
	options := &tonnx.TraceOptions{DynamicAxes: []tonnx.TraceAxis{{Input: 0, Axis: 0, Symbol: "batch"}}}
	program, err := tonnx.Trace(args, options, func(recorder *tonnx.Recorder) error {
		for i := C.size_t(0); i < C.network_weight_count(network); i++ {
			weight := unsafe.Pointer(C.network_weight(network, i))
			if err := recorder.Weight(C.GoString(C.network_weight_name(network, i)), weight); err != nil {
				return err
			}
		}
		scores := C.network_forward(network, recorder.Input(0))
		if scores == nil {
			return errors.New("the network failed")
		}
		defer C.network_delete_tensor(scores)
		return recorder.Output("scores", scores)
	})
	if err != nil {
		return err
	}
	defer program.Close()
	model, err := tonnx.Export(program, args, &tonnx.Options{InputNames: []string{"images"}}, nil)
	if err != nil {
		return err
	}
	defer model.Close()
	if err := model.Verify(program, nil, nil); err != nil {
		return err
	}
	if err := model.Save(path, nil); err != nil {
		return err
	}
	fmt.Printf("%s\n%s: ONNX Runtime agrees with LibTorch\n", model.Report(), path)
	return nil
}

func main() {
	path := "quadrants.onnx"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	if err := run(path); err != nil {
		fmt.Fprintln(os.Stderr, "quadrants:", err)
		os.Exit(1)
	}
}
