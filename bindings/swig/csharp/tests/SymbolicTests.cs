using System;
using System.Collections.Generic;
using System.Linq;

namespace Tonnx.Tests {

internal static class SymbolicTests {
  [Case]
  private static void ConvertsAnOperator() {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (
        Registry registry = Fixture.Symbolics()) using (Model model =
                                                            program.Export(inputs, Fixture.Settings(), registry)) {
      model.Verify(program, inputs);
      Expect.Contains("QuickGelu", model.Text());
      Expect.Contains("Softmax", model.Text());
    }
  }

  [Case]
  private static void DeclaresItsArguments() {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (var registry =
                                                                                                       new Registry()) {
      registry.Add("my_ops::gated_softmax", 9, (graph, node, values) => {
        Expect.Sequence(new[] { 0, 1 }, node.TensorsFirst);
        var alpha = new Attributes();
        alpha.AddSuffixed("alpha_f", values[1]);
        alpha.AddSuffixed("alpha_f", null);
        Expect.Sequence(new[] { "alpha" }, alpha);
        Value gated = graph.Op("com.microsoft::QuickGelu", new[] { values[0] }, alpha);
        gated.CopyType(values[0]);
        return new[] { gated };
      });
      registry.SetArguments("my_ops::gated_softmax", 9, "v,f");
      using (Model model = program.Export(inputs, Fixture.Settings(), registry))
          Expect.Contains("QuickGelu[alpha=1.5]", model.Text());
      registry.SetArguments("my_ops::gated_softmax", 9, "v,i");
      var e = Expect.Refused(Status.Callback, () => program.Export(inputs, Fixture.Settings(), registry));
      Expect.Contains("argument 'alpha' of my_ops::gated_softmax is not an int: it is 1.5", e.Message);
      Expect.Refused(Status.Argument, () => registry.SetArguments("my_ops::gated_softmax", 9, "v,x"));
    }
  }

  [Case]
  private static void CallsBuiltInLoweringsAndBuildsBranches() {
    Symbolic symbolic = (graph, node, inputs) => {
      Value x = inputs[0];
      Expect.That(Library.IsExporting, "a symbolic is part of an export");
      Expect.That(!graph.IsTraining, "it is an export for inference");
      Graph then = graph.AddSubgraph(), other = graph.AddSubgraph();
      then.SetResults(then.Op("Mul", x, then.Call("aten::sigmoid", new[] { x })));
      Value sorted = other.Call("aten::sort", new[] { x }, new Attributes { { "descending", 1 } }, 2)[0];
      other.SetResults(other.Call("aten::cat", new[] { other.List(sorted, x) }, new Attributes { { "dim", 1 } }));
      Expect.Refused(Status.Argument, () => graph.AddInput());
      Expect.That(graph.AddSubgraph().AddInput() != null, "a sub-graph has inputs");
      Value condition;
      using (TensorData yes = TensorData.From(new[] { true })) condition = graph.Op("Squeeze", graph.Constant(yes));
      var branches = new Attributes { { "then_branch", then }, { "else_branch", other } };
      Value chosen = graph.Op("If", new[] { condition }, branches);
      Expect.Contains("is part of a node already",
                      Expect.Refused(Status.Argument, () => graph.Op("If", new[] { condition }, branches)).Message);
      return new[] { chosen };
    };
    using (TorchProgram program = TorchProgram.Compile("def f(x):\n    return torch.silu(x)\n", null, "net.py")) using (
        TensorData x = TensorData.From(new[] { -1f, 2f, 0f, 1f }, 2,
                                       2)) using (Args inputs = new Args().Add(x)) using (Registry registry =
                                                                                              new Registry()) {
      registry.Add("aten::silu", 9, symbolic);
      using (Model model = program.Export(inputs, registry: registry)) model.Verify(program, inputs);
    }
  }

  [Case]
  private static void IsFoundWhereItIsWrong() {
    using (TorchProgram program = TorchProgram.Compile(
               "def f(x):\n    return torch.relu(torch.sin(x) * 2)\n", null,
               "net.py")) using (TensorData x =
                                     TensorData.From(new[] { 1f, 2f },
                                                     2)) using (Args inputs =
                                                                    new Args().Add(x)) using (Registry registry =
                                                                                                  new Registry()) {
      registry.Add("aten::sin", 9, (graph, node, values) => new[] { graph.Op("Neg", values[0]) });
      string folder = Fixture.NewFolder();
      using (Mismatch found = program.FindMismatch(inputs, registry: registry)) {
        Expect.That(found.Found, found.Text);
        Expect.Sequence(new[] { "0" }, found.Leaves);
        Expect.Contains("by kind: aten::sin 1", found.Text);
        Expect.Contains("\"differs\": true", found.Json);
        found.SavePart("0", folder);
        Expect.That(System.IO.File.Exists(folder + "/test_data_set_0/input_0.pb"), "a test case is written");
        Expect.Refused(Status.Argument, () => found.SavePart("01", folder));
        using (Contents ofProgram = found.ProgramContents("0"), ofModel = found.ModelContents("0")) {
          Expect.Equal("aten::sin", ofProgram.Operators[0].Key);
          Expect.Equal("Neg", ofModel.Operators[0].Key);
        }
        Expect.Refused(Status.Argument, () => found.ModelContents("01").Dispose());
      }
      using (Mismatch none = program.FindMismatch(inputs, verification: new VerifyOptions { EveryOperator = true }))
          Expect.That(!none.Found, none.Text);
    }
  }

  [Case]
  private static void ExportsThatDependOnTheInputsDiffer() {
    using (TorchProgram program = TorchProgram.Compile(
               "def f(x):\n    if x.size(0) > 2:\n        x = torch.sin(x)\n    return x * 2\n", null,
               "net.py")) using (TensorData x =
                                     TensorData.From(
                                         new[] { 1f, 2f },
                                         2)) using (TensorData y =
                                                        TensorData.From(
                                                            new[] { 1f, 2f, 3f },
                                                            3)) using (Args two =
                                                                           new Args().Add(x)) using (Args three =
                                                                                                         new Args().Add(
                                                                                                             y)) {
      Expect.That(program.ExportDifference(new[] { two, two }) == "", "both models are the same");
      string text = program.ExportDifference(new[] { two, three });
      Expect.Contains("group 2", text);
      Expect.Contains("onnx::Sin", text);
      Expect.Refused(Status.Argument, () => program.ExportDifference(new[] { two }));
      string report = Fixture.NewFolder() + "/report.sarif";
      using (Model model = program.Export(two)) {
        Library.SaveReport(report, model.Report);
        Expect.Contains("2.1.0", System.IO.File.ReadAllText(report));
        Expect.Refused(Status.Argument, () => Library.SaveReport("report.json", model.Report));
      }
    }
  }

  [Case]
  private static void SeesTheSourceOperator() {
    int calls = 0;
    Fixture
        .Export((graph, node, inputs) => {
          ++calls;
          Expect.Equal(15, graph.Opset);
          Expect.Equal("my_ops::gated_softmax", node.Operator);
          Expect.Equal("", node.Overload);
          Expect.Equal("head", node.Module);
          Expect.Equal(1, node.ArgumentIndex("alpha"));
          Expect.Equal(-1, node.ArgumentIndex("beta"));
          Expect.Equal(1, node.OutputCount);
          Expect.Equal(Dtype.Float32, node.Output().Dtype);
          Expect.Equal(2, inputs.Count);
          Expect.That(inputs[0].HasRank && !inputs[0].IsConstant && !inputs[0].IsNone, "x is a tensor of the graph");
          Expect.Equal(2L, inputs[0].Rank);
          Expect.Equal(-1L, inputs[0].Dim(0));
          Expect.Equal("batch", inputs[0].DimSymbol(0));
          Expect.Equal(4L, inputs[0].Dim(1));
          Expect.That(inputs[1].IsConstant, "alpha is a constant");
          Expect.Equal(1.5, inputs[1].ToDouble());
          Expect.Refused(Status.Argument, () => inputs[1].ToInt64());
          Expect.Refused(Status.Argument, () => inputs[1].ToText());
          Expect.Refused(Status.Argument, () => inputs[1].ToList());
          return Fixture.GatedSoftmax(graph, node, inputs);
        })
        .Dispose();
    Expect.Equal(1, calls);
  }

  [Case]
  private static void BuildsNodesOfEveryShape() {
    Fixture
        .Export((graph, node, inputs) => {
          using (TensorData two = TensorData.From(new[] { 2f })) {
            Value doubled = graph.Op("Mul", inputs[0], graph.Constant(two));
            Value back = graph.Cast(graph.Cast(doubled, Dtype.Float64), Dtype.Float32);
            Expect.Equal(Dtype.Float32, back.Dtype);
            Value clipped = graph.Op("Clip", back, null, graph.Constant(two));
            IReadOnlyList<Value> halves = graph.Op("Split", new[] { clipped }, new Attributes { { "axis", 1 } }, 2);
            Expect.Equal(2, halves.Count);
            halves[0].SetType(Dtype.Float32, -1, 2);
            return new[] { graph.Op("Concat", halves, new Attributes { { "axis", 1 } }) };
          }
        })
        .Dispose();
  }

  [Case]
  private static void TakesEveryKindOfAttribute() {
    using (TensorData tensor =
               TensorData.From(new[] { 1f, 2f }, 2)) using (Model model = Fixture.Export((graph, node, inputs) => {
      var attributes = new Attributes {
        { "number", 3 },
        { "real", 0.5 },
        { "text", "h\u00e9" },
        { "tensor", tensor },
        { "numbers", new long[] { 1, 2 } },
        { "reals", new[] { 0.5, 1.5 } },
        { "texts", new[] { "a", "b" } },
        { "empty", new long[0] },
        { "tensors", new[] { tensor, tensor } },
        { "type", Dtype.Int8, -1, 77 },
      };
      attributes.Add("number", 4);
      Value made = graph.Op("my_domain::Everything", new[] { inputs[0] }, attributes);
      made.CopyType(inputs[0]);
      return new[] { made };
    })) {
      string text = model.Text(TextFormat.Full);
      foreach (string part in new[] { "number", "real", "h\\303\\251", "tensor", "numbers", "reals", "texts", "empty",
                                      "tensors", "dim_value: 77" })
        Expect.Contains(part, text);
    }
  }

  [Case]
  private static void ReadsAndReplacesABuiltIn() {
    int calls = 0;
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (
        Registry registry = Fixture.Symbolics().Add("aten::linear", 9, (graph, node, given) => {
          ++calls;
          using (TensorData weight = given[1].ToTensor()) {
            Expect.Equal(Dtype.Float32, weight.Dtype);
            Expect.Sequence(new long[] { 4, 4 }, weight.Dims);
          }
          Value turned = graph.Op("Transpose", new[] { given[1] }, new Attributes { { "perm", new long[] { 1, 0 } } });
          Value product = graph.Op("MatMul", given[0], turned);
          return new[] { given[2].IsNone ? product : graph.Op("Add", product, given[2]) };
        })) using (Model model = program.Export(inputs, Fixture.Settings(), registry)) {
      model.Verify(program, inputs);
      Expect.Equal(1, calls);
      Expect.Contains("MatMul", model.Text());
    }
  }

  [Case]
  private static void ThrowsTheCallersOwnException() {
    var mine = new InvalidOperationException("alpha 1.5 is not supported yet");
    var e = Expect.Refused(Status.Callback, () => Fixture.Export((graph, node, inputs) => throw mine));
    Expect.That(ReferenceEquals(mine, e.InnerException), "the cause is the exception that was thrown");
    Expect.Contains(mine.Message, e.Message);
    Expect.Equal(1, e.Reasons.Count);
    Expect.Equal("my_ops::gated_softmax at head: alpha 1.5 is not supported yet", e.Reasons[0].ToString());
    Expect.Equal(1L, e.Reasons[0].Places);
  }

  [Case]
  private static void ThrowsOnTheSecondCall() {
    int calls = 0;
    Symbolic symbolic = (graph, node, inputs) => {
      if (++calls == 2)
        throw new TimeoutException("not again");
      return Fixture.GatedSoftmax(graph, node, inputs);
    };
    using (Registry registry = new Registry().Add(Fixture.Operator, 9, symbolic)) {
      Fixture.Export(registry).Dispose();
      var e = Expect.Refused(Status.Callback, () => Fixture.Export(registry));
      Expect.That(e.InnerException is TimeoutException, "the cause is kept");
      Fixture.Export(registry).Dispose();
    }
    Expect.Equal(3, calls);
  }

  [Case]
  private static void ThrowsAnExceptionWithoutText() {
    foreach (var mine in new Exception[] { new Silent(), new Mute() }) {
      var e = Expect.Refused(Status.Callback, () => Fixture.Export((graph, node, inputs) => throw mine));
      Expect.That(ReferenceEquals(mine, e.InnerException), "the cause is kept");
      Expect.Contains(mine.GetType().Name, e.Message);
    }
  }

  [Case]
  private static void TonnxErrorsInsideAreCausesToo() {
    var e = Expect.Refused(Status.Callback, () => Fixture.Export((graph, node, inputs) => {
      inputs[1].ToInt64();
      return null;
    }));
    Expect.Equal(Status.Argument, ((TonnxException)e.InnerException).Status);
  }

  [Case]
  private static void TheFirstExceptionEndsTheExport() {
    int calls = 0;
    using (Registry registry = new Registry()
                                   .Add("aten::linear", 9,
                                        (graph, node, inputs) => {
                                          ++calls;
                                          throw new Exception("first");
                                        })
                                   .Add(Fixture.Operator, 9, (graph, node, inputs) => {
                                     ++calls;
                                     throw new Exception("second");
                                   })) {
      var e = Expect.Refused(Status.Callback, () => Fixture.Export(registry));
      Expect.Equal("first", e.InnerException.Message);
      Expect.Equal(1, calls);
    }
  }

  [Case]
  private static void NullIsADecline() {
    var e = Expect.Refused(Status.Unsupported, () => Fixture.Export((graph, node, inputs) => null));
    Expect.Equal("my_ops::gated_softmax", e.Reasons[0].Operator);
    Expect.Equal("head", e.Reasons[0].Module);
    Expect.That(e.InnerException == null, "nothing was thrown");
  }

  [Case]
  private static void ADeclineAsksTheOlderOne() {
    var asked = new List<int>();
    using (Registry registry = new Registry()
                                   .Add(Fixture.Operator, 9,
                                        (g, n, i) => {
                                          asked.Add(9);
                                          return Fixture.GatedSoftmax(g, n, i);
                                        })
                                   .Add(Fixture.Operator, 13,
                                        (g, n, i) => {
                                          asked.Add(13);
                                          return null;
                                        })
                                   .Add(Fixture.Operator, 16,
                                        (g, n, i) => {
                                          asked.Add(16);
                                          return null;
                                        })) Fixture.Export(registry)
        .Dispose();
    Expect.Sequence(new[] { 13, 9 }, asked);
  }

  [Case]
  private static void WrongResultsAreRefused() {
    Expect.Throws<TonnxException>(() => Fixture.Export((graph, node, inputs) => new Value[0]));
    Expect.Throws<TonnxException>(() => Fixture.Export((graph, node, inputs) => new[] { inputs[0], inputs[0] }));
    Expect.Throws<TonnxException>(() => Fixture.Export((graph, node, inputs) => new[] { node.Output() }));
  }

  [Case]
  private static void NothingOfACallWorksAfterIt() {
    Graph graph = null;
    Node node = null;
    Value[] values = null;
    Fixture
        .Export((g, n, inputs) => {
          graph = g;
          node = n;
          values = inputs.Concat(Fixture.GatedSoftmax(g, n, inputs)).ToArray();
          return new[] { values.Last() };
        })
        .Dispose();
    Expect.Throws<ObjectDisposedException>(() => graph.Op("Relu", values[0]));
    Expect.Throws<ObjectDisposedException>(() => { var opset = graph.Opset; });
    Expect.Throws<ObjectDisposedException>(() => { var name = node.Operator; });
    foreach (Value value in values) Expect.Throws<ObjectDisposedException>(() => { var rank = value.Rank; });
    Expect.Throws<TonnxException>(() => Fixture.Export((g, n, inputs) => new[] { values.Last() }));
  }

  [Case]
  private static void AnExportInsideACallbackKeepsItsOwnCause() {
    var e = Expect.Refused(Status.Callback, () => Fixture.Export((graph, node, inputs) => {
      var inner =
          Expect.Refused(Status.Callback, () => Fixture.Export((g, n, i) => throw new ArgumentException("inner")));
      Expect.Equal("inner", inner.InnerException.Message);
      throw new ArgumentException("outer");
    }));
    Expect.Equal("outer", e.InnerException.Message);
  }

  private sealed class Silent : Exception {
    public override string Message => null;
  }

  private sealed class Mute : Exception {
    public override string Message => throw new InvalidOperationException("no text");
  }
}

}
