using System;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Tonnx;

/// Nanoseconds of a callback and of a call in a callback: see ../callbacks.py.
internal static class Callbacks {
  private const int Nodes = 2000, Registrations = 17, Runs = 9, Calls = 1000000;
  private static long callbacks, outputs;

  /// Seconds of processor time of this thread.
  private static double Now() {
    clock_gettime(3, out Time time);  // CLOCK_THREAD_CPUTIME_ID
    return time.Seconds + time.Nanoseconds * 1e-9;
  }

  private struct Time {
    internal long Seconds, Nanoseconds;
  }

  [DllImport("libc.so.6")]
  private static extern int clock_gettime(int clock, out Time time);

  private static double Timed(string source, int registrations, Symbolic symbolic) {
    using (TorchProgram program = TorchProgram.Compile(source)) using (
        TensorData tensor = TensorData.From(new[] { 1f, 2, 3, 4 },
                                            4)) using (Args args = new Args().Add(tensor)) using (var registry =
                                                                                                      new Registry()) {
      for (int since = 1; since <= registrations; ++since) registry.Add("aten::relu", since, symbolic);
      double start = Now();
      program.Export(args, new Options { Opset = Registrations }, registry).Dispose();
      return Now() - start;
    }
  }

  private static void Main() {
    var source = new StringBuilder("def forward(x):\n");
    for (int i = 0; i < Nodes; ++i) source.Append("    x = torch.relu(x)\n");
    source.Append("    return x\n");
    double[] best = { double.MaxValue, double.MaxValue };
    var counts = new long[2];
    for (int run = 0; run < Runs; ++run) {
      for (int i = 0; i < 2; ++i) {
        callbacks = 0;
        best[i] = Math.Min(best[i], Timed(source.ToString(), i == 0 ? 1 : Registrations, (graph, node, inputs) => {
                             ++callbacks;
                             return null;
                           }));
        counts[i] = callbacks;
      }
    }
    double seconds = 0;
    Timed("def forward(x):\n    return torch.relu(x)\n", 1, (graph, node, inputs) => {
      double start = Now();
      for (int i = 0; i < Calls; ++i) outputs += node.OutputCount;
      seconds = Now() - start;
      return null;
    });
    Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0:F0} {1:F1}",
                                    (best[1] - best[0]) * 1e9 / (counts[1] - counts[0]), seconds * 1e9 / Calls));
  }
}
