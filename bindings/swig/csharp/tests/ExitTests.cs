using System;
using System.Collections.Generic;

namespace Tonnx.Tests {

/// A process exits normally, with open native objects and running calls.
internal static class ExitTests {
  [Case]
  private static void WithOpenHandles() {
    for (int i = 0; i < 5; ++i) EndsWell("leave-open");
  }

  [Case]
  private static void InsideACallback() {
    for (int i = 0; i < 5; ++i) EndsWell("exit-inside");
  }

  [Case]
  private static void DuringExportsOfAnArchive() {
    EndsDuring("archive");
  }

  [Case]
  private static void DuringExportsOfAScript() {
    EndsDuring("script");
  }

  [Case]
  private static void DuringTraces() {
    EndsDuring("trace");
  }

  /// The calls that background threads repeat while the process exits.
  internal static readonly Dictionary<string, Action> Calls = new Dictionary<string, Action> {
    { "archive", ExportArchive },
    { "script", ExportScript },
    { "trace", ExportTrace },
  };

  private static void ExportArchive() {
    using (TorchProgram program = TorchProgram.Load(Fixture.Variable("TONNX_EXPORTED"))) using (var none = new Args())
        program.Export(none)
            .Dispose();
  }

  private static Args Numbers() {
    using (TensorData tensor = TensorData.From(new[] { 1f, 2, 3, 4, 5, 6 }, 2, 3)) return new Args().Add(tensor);
  }

  private static void ExportScript() {
    const string Source = "def forward(x):\n" + "    for i in range(x.size(0)):\n" + "        if bool(x.sum() > 0):\n" +
                          "            x = torch.softmax(x, -1) * i\n" + "    return torch.relu(x)\n";
    using (TorchProgram program = TorchProgram.Compile(Source)) using (Args args = Numbers()) program.Export(args)
        .Dispose();
  }

  private static void ExportTrace() {
    using (var torch = new TorchShim()) using (Args args = Numbers()) using (
        TorchProgram program = TorchProgram.Trace(args,
                                                  (trace, inputs) => {
                                                    IntPtr x = inputs[0];
                                                    for (int i = 0; i < 20; ++i)
                                                      x = torch.Run("relu", torch.Run("add", x, x));
                                                    return new[] { x };
                                                  })) program.Export(args)
        .Dispose();
  }

  private static void EndsDuring(string kind) {
    int tries = int.Parse(Environment.GetEnvironmentVariable("TONNX_EXITS") ?? "2");
    for (int i = 0; i < tries; ++i) EndsWell(kind + " " + (i % 2 == 1 ? 1 + i * 997 % 1009 : i * 7));
  }

  private static void EndsWell(string deed) {
    Expect.Equal("0\n", Child.Start(Child.Folder, Environment.GetEnvironmentVariable("TONNX_LIBRARY"), deed));
  }
}

}
