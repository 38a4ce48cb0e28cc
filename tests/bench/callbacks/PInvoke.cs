using System;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

/// The same as Callbacks.cs by P/Invoke on the C API, without SWIG's library: each callback becomes a call of a
/// delegate that a GCHandle finds, and exceptions stay in managed code.
internal static class PInvoke {
  private const int Nodes = 2000, Registrations = 17, Runs = 9, Calls = 1000000;
  private static long callbacks, outputs;

  private delegate bool Symbolic(IntPtr graph, IntPtr node, IntPtr[] inputs);
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  private delegate int Native(IntPtr graph, IntPtr node, IntPtr inputs, UIntPtr count, IntPtr data);
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  private delegate void Destroy(IntPtr data);

  private static readonly Native Run = Apply;
  private static readonly Destroy Free = data => GCHandle.FromIntPtr(data).Free();

  private static int Apply(IntPtr graph, IntPtr node, IntPtr inputs, UIntPtr count, IntPtr data) {
    try {
      var values = new IntPtr[(int)count];
      Marshal.Copy(inputs, values, 0, values.Length);
      var symbolic = (Symbolic)GCHandle.FromIntPtr(data).Target;
      return symbolic(graph, node, values) ? 0 : 1;
    } catch (Exception) {
      return 2;
    }
  }

  private static void Check(int status, IntPtr error) {
    if (status != 0)
      throw new Exception(Marshal.PtrToStringAnsi(tonnx_error_message(error)));
  }

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
    IntPtr error;
    Check(tonnx_program_compile(out IntPtr program, source, null, IntPtr.Zero, out error), error);
    Check(tonnx_tensor_new(out IntPtr tensor, 6, new long[] { 4 }, (UIntPtr)1, new[] { 1f, 2, 3, 4 }, (UIntPtr)16,
                           out error),
          error);
    Check(tonnx_args_new(out IntPtr args, out error), error);
    Check(tonnx_args_add_tensor(args, tensor, out error), error);
    Check(tonnx_registry_new(out IntPtr registry, out error), error);
    for (int since = 1; since <= registrations; ++since)
      Check(tonnx_registry_add(registry, "aten::relu", since, Run, GCHandle.ToIntPtr(GCHandle.Alloc(symbolic)), Free,
                               out error),
            error);
    Check(tonnx_options_new(out IntPtr options, out error), error);
    Check(tonnx_options_set_opset(options, Registrations, out error), error);
    double start = Now();
    Check(tonnx_program_export(out IntPtr model, program, args, options, registry, out error), error);
    double seconds = Now() - start;
    tonnx_model_free(model);
    tonnx_options_free(options);
    tonnx_registry_free(registry);
    tonnx_args_free(args);
    tonnx_tensor_free(tensor);
    tonnx_program_free(program);
    return seconds;
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
                             return false;
                           }));
        counts[i] = callbacks;
      }
    }
    double seconds = 0;
    Timed("def forward(x):\n    return torch.relu(x)\n", 1, (graph, node, inputs) => {
      double start = Now();
      for (int i = 0; i < Calls; ++i) outputs += (long)tonnx_node_output_count(node);
      seconds = Now() - start;
      return false;
    });
    Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0:F0} {1:F1}",
                                    (best[1] - best[0]) * 1e9 / (counts[1] - counts[0]), seconds * 1e9 / Calls));
  }

  private const string Library = "libtonnx.so.0";
  [DllImport(Library)]
  private static extern int tonnx_program_compile(out IntPtr program, string source, string file, IntPtr attributes,
                                                  out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_tensor_new(out IntPtr tensor, int dtype, long[] dims, UIntPtr rank, float[] data,
                                             UIntPtr size, out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_args_new(out IntPtr args, out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_args_add_tensor(IntPtr args, IntPtr tensor, out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_registry_new(out IntPtr registry, out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_registry_add(IntPtr registry, string name, int since, Native symbolic, IntPtr data,
                                               Destroy destroy, out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_options_new(out IntPtr options, out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_options_set_opset(IntPtr options, int opset, out IntPtr error);
  [DllImport(Library)]
  private static extern int tonnx_program_export(out IntPtr model, IntPtr program, IntPtr args, IntPtr options,
                                                 IntPtr registry, out IntPtr error);
  [DllImport(Library)]
  private static extern UIntPtr tonnx_node_output_count(IntPtr node);
  [DllImport(Library)]
  private static extern IntPtr tonnx_error_message(IntPtr error);
  [DllImport(Library)]
  private static extern void tonnx_model_free(IntPtr model);
  [DllImport(Library)]
  private static extern void tonnx_options_free(IntPtr options);
  [DllImport(Library)]
  private static extern void tonnx_registry_free(IntPtr registry);
  [DllImport(Library)]
  private static extern void tonnx_args_free(IntPtr args);
  [DllImport(Library)]
  private static extern void tonnx_tensor_free(IntPtr tensor);
  [DllImport(Library)]
  private static extern void tonnx_program_free(IntPtr program);
}
