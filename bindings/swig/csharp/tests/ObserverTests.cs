using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;

namespace Tonnx.Tests {

internal static class ObserverTests {
  private const string Code =
      "def f(x):\n    x.add_(1)\n    for i in range(int(x.sum())):\n        x = torch.relu(x)\n    return x\n";

  private sealed class Seen : IProgress<Event> {
    internal readonly List<Event> All = new List<Event>();
    public void Report(Event value) {
      All.Add(value);
    }
  }

  private static Model Export(Observer observer) {
    using (TorchProgram program = TorchProgram.Compile(Code, null, "net.py")) using (
        TensorData x = TensorData.From(new[] { 1f, 2f }, 2)) using (Args inputs = new Args().Add(x)) {
      return program.Export(inputs, new Options { Observer = observer });
    }
  }

  [Case]
  private static void ReceiveEvents() {
    var seen = new Seen();
    using (Model model = Export(new Observer { Progress = seen })) {
      Expect.That(seen.All.Any(e => e.Level == Level.Info && e.Text.Contains("the loop stays a Loop") &&
                                    e.Source == "net.py:3"),
                  "the decision is logged");
      Expect.That(seen.All.Any(e => e.Kind == EventKind.Progress && e.Stage == "lowering" && e.Total > 0),
                  "progress is reported");
      Event[] warnings = seen.All.Where(e => e.Kind == EventKind.Warning).ToArray();
      Expect.Equal(model.Warnings.Count, warnings.Length);
      Expect.That(warnings.All(e => e.Category == Category.State), "the category is State");
    }
  }

  [Case]
  private static void CancelAtEachEvent() {
    int number = 1;
    for (;; ++number) {
      int count = 0;
      using (var source = new CancellationTokenSource()) {
        var observer = new Observer {
          Level = Level.Debug,
          Cancellation = source.Token,
          Received =
              e => {
                if (++count == number)
                  source.Cancel();
              },
        };
        try {
          Export(observer).Dispose();
          break;
        } catch (TonnxException e) {
          Expect.Equal(Status.Cancelled, e.Status);
          Expect.Equal(number, count);
        }
      }
    }
    Expect.That(number > 10, "there are events");
    string path = Path.Combine(Fixture.NewFolder(), "model.onnx");
    using (Model model = Export(null)) {
      var cancelled = new Observer { Cancellation = new CancellationToken(true) };
      Expect.Refused(Status.Cancelled, () => model.Save(path, new SaveOptions { Observer = cancelled }));
      Expect.That(!System.IO.File.Exists(path), "no file is left");
    }
  }

  [Case]
  private static void ThrowWhatTheDelegateThrows() {
    var full = new IOException("the disk is full");
    TonnxException error = Expect.Refused(Status.Callback, () => Export(new Observer { Received = e => throw full }));
    Expect.That(ReferenceEquals(full, error.InnerException), "the exception is the inner one");
  }
}

}
