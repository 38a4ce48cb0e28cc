using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Tonnx.Tests {

/// The program of the tests: a 4x4 Linear in "body", then my_ops::gated_softmax with alpha 1.5 in "head".
internal static class Fixture {
  internal const string Operator = "my_ops::gated_softmax";

  internal static string ArchivePath => Variable("TONNX_ARCHIVE");

  internal static int SoakCount => int.Parse(Variable("TONNX_SOAK"));

  internal static TorchProgram Archive() {
    Library.LoadOperators(Variable("TONNX_OPERATORS"));
    return TorchProgram.Load(ArchivePath);
  }

  internal static float[] Tokens() {
    return Enumerable.Range(0, 8).Select(i => 0.25f * i - 1).ToArray();
  }

  internal static Args Inputs() {
    using (TensorData tokens = TensorData.From(Tokens(), 2, 4)) return new Args().Add(tokens);
  }

  internal static Options Settings() {
    return new Options {
      Opset = 15,
      InputNames = { "tokens" },
      OutputNames = { "weights" },
      DynamicAxes = { { "tokens", 0, "batch" } },
      CustomOpsets = { { "com.microsoft", 1 } },
    };
  }

  internal static Registry Symbolics() {
    return new Registry().Add(Operator, 9, GatedSoftmax);
  }

  internal static IReadOnlyList<Value> GatedSoftmax(Graph graph, Node node, IReadOnlyList<Value> inputs) {
    Value x = inputs[0];
    if (x.Dtype != Dtype.Float32)
      return null;
    var alpha = new Attributes { { "alpha", inputs[1].ToDouble() } };
    Value gated = graph.Op("com.microsoft::QuickGelu", new[] { x }, alpha);
    gated.CopyType(x);
    return new[] { graph.Op("Softmax", new[] { gated }, new Attributes { { "axis", x.Rank - 1 } }) };
  }

  internal static Model Export(Symbolic symbolic) {
    using (Registry registry = new Registry().Add(Operator, 9, symbolic)) return Export(registry);
  }

  internal static Model Export(Registry registry) {
    using (TorchProgram program = Archive()) using (Args inputs = Inputs()) return program.Export(inputs, Settings(),
                                                                                                  registry);
  }

  internal static void Collect() {
    for (int i = 0; i < 3; ++i) {
      GC.Collect();
      GC.WaitForPendingFinalizers();
    }
  }

  internal static string NewFolder() {
    string path = Path.Combine(Path.GetTempPath(), "tonnx-" + Guid.NewGuid().ToString("N"));
    Directory.CreateDirectory(path);
    return path;
  }

  internal static string Variable(string name) {
    string value = Environment.GetEnvironmentVariable(name);
    if (string.IsNullOrEmpty(value))
      throw new Exception("the variable " + name + " is not set");
    return value;
  }
}

}
