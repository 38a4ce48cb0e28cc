package tonnx_test

import (
	"math"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// BenchmarkCallback reports the nanoseconds of a callback and of a call in a callback: see tests/bench/callbacks.py, which
// runs it once.
func BenchmarkCallback(b *testing.B) {
	const nodes, registrations, runs, calls = 2000, 17, 9, 1000000
	runtime.LockOSThread()
	callbacks := 0
	decline := func(*tonnx.Graph, *tonnx.Node, []tonnx.Value) ([]tonnx.Value, error) {
		callbacks++
		return nil, tonnx.ErrDecline
	}
	source := "def forward(x):\n" + strings.Repeat("    x = torch.relu(x)\n", nodes) + "    return x\n"
	best, counts := [2]float64{math.Inf(1), math.Inf(1)}, [2]int{}
	for run := 0; run < runs; run++ {
		for i, symbolics := range []int{1, registrations} {
			callbacks = 0
			best[i] = math.Min(best[i], timedExport(b, source, symbolics, decline))
			counts[i] = callbacks
		}
	}
	spent := 0.0
	timedExport(b, "def forward(x):\n    return torch.relu(x)\n", 1,
		func(_ *tonnx.Graph, node *tonnx.Node, _ []tonnx.Value) ([]tonnx.Value, error) {
			start := now()
			for i := 0; i < calls; i++ {
				callbacks += node.OutputCount()
			}
			spent = now() - start
			return nil, tonnx.ErrDecline
		})
	b.ReportMetric((best[1]-best[0])*1e9/float64(counts[1]-counts[0]), "ns/callback")
	b.ReportMetric(spent*1e9/calls, "ns/call")
}

// now returns the seconds of processor time of this thread.
func now() float64 {
	const threadTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var time syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadTime, uintptr(unsafe.Pointer(&time)), 0)
	return float64(time.Sec) + float64(time.Nsec)*1e-9
}

// timedExport measures an export with so many registrations of a symbolic.
func timedExport(b *testing.B, source string, registrations int, symbolic tonnx.Symbolic) float64 {
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	program, err := tonnx.Compile(source, "net.py", nil)
	check(err)
	defer program.Close()
	tensor, err := tonnx.NewTensor([]int64{4}, []float32{1, 2, 3, 4})
	check(err)
	defer tensor.Close()
	args, err := tonnx.NewArgs(tensor)
	check(err)
	defer args.Close()
	registry, err := tonnx.NewRegistry()
	check(err)
	defer registry.Close()
	for since := 1; since <= registrations; since++ {
		check(registry.Add("aten::relu", since, symbolic))
	}
	start := now()
	model, err := tonnx.Export(program, args, &tonnx.Options{Opset: 17}, registry)
	spent := now() - start
	check(err)
	check(model.Close())
	return spent
}
