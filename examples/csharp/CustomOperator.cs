// An operator of one's own from LibTorch to ONNX: register a symbolic, export, verify, print.
//   CustomOperator.exe LIBRARY ARCHIVE OUTPUT.onnx
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Tonnx;

internal static class CustomOperator {
  private const string Name = "my_ops::gated_softmax";

  private static int Main(string[] arguments) {
    try {
      if (arguments.Length != 3)
        throw new ArgumentException("usage: CustomOperator.exe LIBRARY ARCHIVE OUTPUT.onnx");
      Run(arguments[0], arguments[1], arguments[2]);
      return 0;
    } catch (Exception e) {
      Console.Error.WriteLine("CustomOperator: " + e.Message);
      return 1;
    }
  }

  private static void Run(string library, string archive, string output) {
    Library.LoadOperators(library);
    var options = new Options {
      Opset = 15,
      InputNames = { "tokens" },
      OutputNames = { "weights" },
      DynamicAxes = { { "tokens", 0, "batch" } },
      CustomOpsets = { { "com.microsoft", 1 } },
    };

    using (var program = TorchProgram.Load(archive)) using (
        var tokens = TensorData.From(Enumerable.Range(0, 8).Select(i => 0.25f * i - 1).ToArray(), 2,
                                     4)) using (var args = new Args().Add(tokens)) using (var registry =
                                                                                              new Registry()) {
      registry.Add(Name, 9, Unfinished);
      try {
        program.Export(args, options, registry).Dispose();
        throw new Exception("an export whose symbolic throws must fail");
      } catch (TonnxException e) when (e.InnerException is NotSupportedException) {
        Reason reason = e.Reasons[0];
        Console.WriteLine("refused: {0} at {1}: {2}", reason.Operator, reason.Module, reason.Text);
      }

      registry.Add(Name, 9, GatedSoftmax);  // replaces the first
      using (var model = program.Export(args, options, registry)) {
        byte[] bytes = model.ToBytes();
        model.Save(output);
        if (!File.ReadAllBytes(output).SequenceEqual(bytes))
          throw new Exception(output + " differs from the model");
        model.Verify(program, args);
        Console.WriteLine("verified");
        Console.WriteLine(model.Text());
      }
    }
  }

  private static IReadOnlyList<Value> Unfinished(Graph graph, Node node, IReadOnlyList<Value> inputs) {
    throw new NotSupportedException(FormattableString.Invariant($"alpha {inputs[1].ToDouble()} is not supported yet"));
  }

  // x * sigmoid(alpha * x) is ONNX Runtime's QuickGelu.
  private static IReadOnlyList<Value> GatedSoftmax(Graph graph, Node node, IReadOnlyList<Value> inputs) {
    Value x = inputs[0];
    if (x.Dtype != Dtype.Float32)
      return null;  // not me
    double alpha = inputs[1].ToDouble();
    Value gated = graph.Op("com.microsoft::QuickGelu", new[] { x }, new Attributes { { "alpha", alpha } });
    gated.CopyType(x);
    Value result = graph.Op("Softmax", new[] { gated }, new Attributes { { "axis", x.Rank - 1 } });
    return new[] { result };
  }
}
