using System;
using System.Runtime.InteropServices;
using Tonnx;

/// Trains a network that C++ code defines, traces it with a dynamic batch, exports and verifies it, and prints the
/// report: quadrants [OUTPUT.onnx]
///
/// In a checkout, after `make build` and `bindings/swig/csharp/build out build` (docs/csharp.md):
///
///     ninja -C build examples/libquadrants.so
///     mcs -langversion:7.2 -r:out/Tonnx.dll -out:out/quadrants.exe examples/csharp/Quadrants.cs
///     LD_LIBRARY_PATH=build/examples mono out/quadrants.exe
internal static class Quadrants {
  private static int Main(string[] arguments) {
    string path = arguments.Length > 0 ? arguments[0] : "quadrants.onnx";
    IntPtr network = network_new(0);
    if (network == IntPtr.Zero)
      return 1;
    try {
      double share = network_train(network, 150);
      if (share < 0)
        return 1;
      Console.WriteLine("trained: " + 100 * share + " % of new images are correct");
      Export(network, path);
      return 0;
    } catch (TonnxException e) {
      Console.Error.WriteLine("quadrants: " + e.Message);
      return 1;
    } finally {
      network_free(network);
    }
  }

  private static void Export(IntPtr network, string path) {
    var traceOptions = new TraceOptions { DynamicAxes = { { 0, 0, "batch" } } };
    var options = new Options { InputNames = { "images" } };
    using (var images = TensorData.From(new float[2 * 8 * 8], 2, 1, 8, 8)) using (
        var args = new Args().Add(
            images)) using (var program = TorchProgram.Trace(args, (trace, inputs) => Record(network, trace, inputs[0]),
                                                             traceOptions)) using (var model =
                                                                                       program.Export(args, options)) {
      model.Verify(program);
      model.Save(path);
      Console.WriteLine(model.Report);
    }
    Console.WriteLine(path + ": ONNX Runtime agrees with LibTorch");
  }

  private static IntPtr[] Record(IntPtr network, Trace trace, IntPtr images) {
    for (var i = 0; i < (int)network_weight_count(network); ++i) {
      string name = Marshal.PtrToStringAnsi(network_weight_name(network, (UIntPtr)i));
      trace.Weight(name, network_weight(network, (UIntPtr)i));
    }
    IntPtr scores = network_forward(network, images);
    if (scores == IntPtr.Zero)
      throw new InvalidOperationException("the network failed");
    try {
      trace.Output(scores, "scores");
    } finally {
      network_delete_tensor(scores);
    }
    return null;
  }

  [DllImport("quadrants")]
  private static extern IntPtr network_new(long seed);
  [DllImport("quadrants")]
  private static extern double network_train(IntPtr network, long steps);
  [DllImport("quadrants")]
  private static extern UIntPtr network_weight_count(IntPtr network);
  [DllImport("quadrants")]
  private static extern IntPtr network_weight_name(IntPtr network, UIntPtr index);
  [DllImport("quadrants")]
  private static extern IntPtr network_weight(IntPtr network, UIntPtr index);
  [DllImport("quadrants")]
  private static extern IntPtr network_forward(IntPtr network, IntPtr images);
  [DllImport("quadrants")]
  private static extern void network_delete_tensor(IntPtr tensor);
  [DllImport("quadrants")]
  private static extern void network_free(IntPtr network);
}
