using System;
using Tonnx;

internal static class User {
  private static void Main(string[] arguments) {
    using (var program = TorchProgram.Load("net.pt2")) using (var none = new Args()) using (
        var model = program.Export(none)) model.Save("net.pt2.onnx");
    Console.WriteLine("tonnx " + Library.Version + ", LibTorch " + Library.LibTorchVersion);
    try {
      TorchProgram.Compile(arguments[0]).Dispose();
    } catch (TonnxException e) {
      Console.WriteLine(e.Status + " " + e.Message);
    }
    Library.LoadLibTorch("/mnt/site/torch/lib");
    using (var program = TorchProgram.Compile(arguments[0])) using (
        var x = TensorData.From(new[] { 1f, 2, 3, 4, 5, 6 }, 2,
                                3)) using (var args = new Args().Add(x)) using (var model =
                                                                                    program.Export(args, new Options {
                                                                                      DynamicAxes = { { "x", 0, "n" } }
                                                                                    })) {
      model.Verify(program, args);
      Console.WriteLine("agrees");
    }
  }
}
