package tonnx_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

// resident returns the resident memory of the process in MiB.
func resident(t *testing.T) float64 {
	t.Helper()
	runtime.GC()
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(content), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// soakOnce exports a program of its own, and every tenth time fails.
func soakOnce(t *testing.T, content []byte, round int) {
	t.Helper()
	given := &refusal{"soaked"}
	p, err := tonnx.LoadBytes(content)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	x, err := tonnx.NewTensor([]int64{2}, []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	args, err := tonnx.NewArgs(x)
	if err != nil {
		t.Fatal(err)
	}
	defer args.Close()
	registry, err := tonnx.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	err = registry.Add("aten::gelu", 9,
		func(graph *tonnx.Graph, node *tonnx.Node, in []tonnx.Value) ([]tonnx.Value, error) {
			if round%10 == 9 {
				return nil, given
			}
			result, err := graph.Op("HardSigmoid", in[:1], tonnx.Attributes{"alpha": 0.5})
			return []tonnx.Value{result}, err
		})
	if err != nil {
		t.Fatal(err)
	}
	model, err := tonnx.Export(p, args, &tonnx.Options{InputNames: []string{"in"}}, registry)
	if round%10 == 9 {
		if !errors.Is(err, given) {
			t.Fatalf("round %d: %v", round, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if bytes, err := model.Bytes(); err != nil || len(bytes) == 0 {
		t.Fatal(len(bytes), err)
	}
}

func TestSoak(t *testing.T) {
	rounds := 200
	if given := os.Getenv("TONNX_SOAK"); given != "" {
		var err error
		if rounds, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	content := archive("x: Tensor) -> Tensor", "return torch.gelu(torch.add(x, x), approximate=\"none\")")
	var start float64
	for round := 0; round < rounds; round++ {
		if round == rounds/10 {
			start = resident(t)
		}
		soakOnce(t, content, round)
	}
	end := resident(t)
	t.Logf("%d exports: resident memory %.1f MiB after a tenth, %.1f MiB at the end", rounds, start, end)
	if end > start+8 {
		t.Errorf("resident memory grew by %.1f MiB", end-start)
	}
}
