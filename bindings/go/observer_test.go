package tonnx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

const loop = "def f(x):\n    x.add_(1)\n    for i in range(int(x.sum())):\n        x = torch.relu(x)\n    return x\n"

// observed compiles and exports the program under an observer.
func observed(t *testing.T, observer *tonnx.Observer) (*tonnx.Program, *tonnx.Model, error) {
	t.Helper()
	p, err := tonnx.Compile(loop, "net.py", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	m, err := tonnx.Export(p, arguments(t, vector(t, 2)), &tonnx.Options{Observer: observer}, nil)
	if err == nil {
		t.Cleanup(func() { m.Close() })
	}
	return p, m, err
}

func TestObserversReceiveEvents(t *testing.T) {
	var seen []tonnx.Event
	observe := func(event tonnx.Event) error { seen = append(seen, event); return nil }
	_, m, err := observed(t, &tonnx.Observer{Observe: observe})
	if err != nil {
		t.Fatal(err)
	}
	var stays, progress bool
	warnings := 0
	for _, event := range seen {
		stays = stays || event.Level == tonnx.LevelInfo && strings.Contains(event.Text, "the loop stays a Loop") &&
			strings.HasPrefix(event.Source, "net.py:3")
		progress = progress || event.Kind == tonnx.EventProgress && event.Stage == "lowering" && event.Total > 0
		if event.Kind == tonnx.EventWarning {
			warnings++
			if event.Category != tonnx.CategoryState {
				t.Error(event)
			}
		}
	}
	if !stays || !progress || warnings != len(m.Warnings()) {
		t.Error(seen)
	}
}

func TestObserversCancelAtEachEvent(t *testing.T) {
	for number := 1; ; number++ {
		count := 0
		ctx, cancel := context.WithCancel(context.Background())
		_, _, err := observed(t, &tonnx.Observer{Context: ctx, Level: tonnx.LevelDebug, Observe: func(tonnx.Event) error {
			if count++; count == number {
				cancel()
			}
			return nil
		}})
		cancel()
		if err == nil {
			if number < 10 {
				t.Error(number)
			}
			return
		}
		wantError(t, err, tonnx.StatusCancelled, "context canceled")
		if !errors.Is(err, context.Canceled) || count > number {
			t.Error(err, count, number)
		}
	}
}

func TestObserversCancelOtherCalls(t *testing.T) {
	p, m, err := observed(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	observer := &tonnx.Observer{Context: ctx}
	path := filepath.Join(t.TempDir(), "model.onnx")
	wantError(t, m.Save(path, &tonnx.SaveOptions{Observer: observer}), tonnx.StatusCancelled, "context canceled")
	if _, err := os.Stat(path); err == nil {
		t.Error("the file exists")
	}
	if err := m.Save(path, &tonnx.SaveOptions{}); err != nil {
		t.Error(err)
	}
	args := arguments(t, vector(t, 2))
	wantError(t, m.Verify(p, args, &tonnx.VerifyOptions{Observer: observer}), tonnx.StatusCancelled, "context canceled")
	_, err = tonnx.Trace(args, &tonnx.TraceOptions{Observer: observer}, func(*tonnx.Recorder) error { return nil })
	wantError(t, err, tonnx.StatusCancelled, "context canceled")
}

func TestErrorsOfObserversAreTheCause(t *testing.T) {
	full := errors.New("the disk is full")
	_, _, err := observed(t, &tonnx.Observer{Observe: func(tonnx.Event) error { return full }})
	wantError(t, err, tonnx.StatusCallback, "the disk is full")
	if !errors.Is(err, full) {
		t.Error(err)
	}
	_, _, err = observed(t, &tonnx.Observer{Observe: func(tonnx.Event) error { panic("no more") }})
	var panicked *tonnx.PanicError
	if !errors.As(err, &panicked) || panicked.Value != "no more" {
		t.Error(err)
	}
}

func TestObserversLog(t *testing.T) {
	var text bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelInfo}))
	if _, _, err := observed(t, tonnx.NewLogObserver(context.Background(), logger)); err != nil {
		t.Fatal(err)
	}
	wantText(t, text.String(), "level=INFO msg=\"the loop stays a Loop", "stage=lowering", "source=net.py:3", "level=WARN", "category=state")
}

func TestEventsHaveNames(t *testing.T) {
	got := fmt.Sprint(tonnx.EventLog, tonnx.EventWarning, tonnx.EventProgress, tonnx.EventKind(9), tonnx.LevelDebug,
		tonnx.LevelInfo, tonnx.LevelWarning, tonnx.Level(9))
	if want := "log warning progress kind 9 debug info warning level 9"; got != want {
		t.Errorf("%q instead of %q", got, want)
	}
	for c := tonnx.CategoryNone; c <= tonnx.CategoryVerification; c++ {
		if name := c.String(); name == "" || strings.Contains(name, " ") {
			t.Errorf("category %d has the name %q", int32(c), name)
		}
	}
	if got := tonnx.Category(99).String(); got != "category 99" {
		t.Error(got)
	}
}
