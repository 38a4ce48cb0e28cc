package tonnx_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
	"unsafe"

	tonnx "github.com/tonnx/tonnx/bindings/go"
	"github.com/tonnx/tonnx/bindings/go/internal/torchshim"
)

// calls are what goroutines repeat while the process ends.
var calls = map[string]func() error{
	"archive": exportArchive,
	"script":  exportScript,
	"trace":   exportTrace,
}

func exportArchive() error {
	program, err := tonnx.Load(os.Getenv("TONNX_EXPORTED"))
	if err != nil {
		return err
	}
	defer program.Close()
	args, err := tonnx.NewArgs()
	if err != nil {
		return err
	}
	defer args.Close()
	return exportAndClose(program, args)
}

func exportAndClose(program *tonnx.Program, args *tonnx.Args) error {
	model, err := tonnx.Export(program, args, nil, nil)
	if err == nil {
		model.Close()
	}
	return err
}

func exportScript() error {
	program, err := tonnx.Compile(`def forward(x):
    for i in range(x.size(0)):
        if bool(x.sum() > 0):
            x = torch.softmax(x, -1) * i
    return torch.relu(x)
`, "", nil)
	if err != nil {
		return err
	}
	defer program.Close()
	return withNumbers(func(args *tonnx.Args) error { return exportAndClose(program, args) })
}

func withNumbers(body func(*tonnx.Args) error) error {
	x, err := tonnx.NewTensor([]int64{2, 3}, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		return err
	}
	defer x.Close()
	args, err := tonnx.NewArgs(x)
	if err != nil {
		return err
	}
	defer args.Close()
	return body(args)
}

func exportTrace() error {
	torch := &torchshim.Client{}
	defer torch.Close()
	return withNumbers(func(args *tonnx.Args) error {
		program, err := tonnx.Trace(args, nil, func(recorder *tonnx.Recorder) error {
			x := recorder.Input(0)
			for i := 0; i < 20; i++ {
				for _, name := range []string{"add", "relu"} {
					inputs := []unsafe.Pointer{x, x}
					if name == "relu" {
						inputs = inputs[:1]
					}
					results, err := torch.Run(name, inputs)
					if err != nil {
						return err
					}
					x = results[0]
				}
			}
			return recorder.Output("", x)
		})
		if err != nil {
			return err
		}
		defer program.Close()
		return exportAndClose(program, args)
	})
}

// endDuring ends the process after a while, in the middle of calls: "KIND MILLISECONDS".
func endDuring(call string) {
	var kind string
	var milliseconds int
	if _, err := fmt.Sscan(call, &kind, &milliseconds); err != nil {
		panic(err)
	}
	for i := 0; i < 4; i++ {
		go func() {
			for {
				if err := calls[kind](); err != nil {
					panic(err)
				}
			}
		}()
	}
	time.Sleep(time.Duration(milliseconds) * time.Millisecond)
	os.Exit(0)
}

// Each try ends after another delay, so that it ends in another part of the call.
func TestExitDuringCalls(t *testing.T) {
	tries, err := strconv.Atoi(os.Getenv("TONNX_EXITS"))
	if err != nil {
		tries = 2
	}
	for kind := range calls {
		kind := kind
		t.Run(kind, func(t *testing.T) {
			if kind == "archive" && os.Getenv("TONNX_EXPORTED") == "" {
				t.Skip("TONNX_EXPORTED is not set")
			}
			if kind == "trace" && os.Getenv("TONNX_TORCH_SHIM") == "" {
				t.Skip("TONNX_TORCH_SHIM is not set")
			}
			for i := 0; i < tries; i++ {
				milliseconds := i * 7
				if i%2 == 1 {
					milliseconds = 1 + i*997%1009
				}
				command := exec.Command(os.Args[0])
				command.Env = append(os.Environ(), fmt.Sprintf("TONNX_EXIT_CALL=%s %d", kind, milliseconds))
				if output, err := command.CombinedOutput(); err != nil || len(output) != 0 {
					t.Errorf("exit after %d ms: %v\n%s", milliseconds, err, output)
				}
			}
		})
	}
}
