using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;

namespace Tonnx.Tests {

/// Traces of code that runs in a LibTorch client of its own, which holds its tensors by address.
internal static class TraceTests {
  [Case]
  private static void RecordsALanguageModel() {
    using (var torch = new TorchShim()) {
      const long Words = 11, Width = 4, Hidden = 6;
      var weights = new Dictionary<string, IntPtr> {
        { "embedding.weight", torch.Make("randn", Words, Width) },
        { "lstm.weight_ih", torch.Make("randn", 4 * Hidden, Width) },
        { "lstm.weight_hh", torch.Make("randn", 4 * Hidden, Hidden) },
        { "lstm.bias_ih", torch.Make("randn", 4 * Hidden) },
        { "lstm.bias_hh", torch.Make("randn", 4 * Hidden) },
        { "decoder.weight", torch.Make("randn", Words, Hidden) },
        { "decoder.bias", torch.Make("randn", Words) },
      };
      TracedCode code = (trace, inputs) => {
        foreach (var weight in weights) trace.Weight(weight.Key, weight.Value);
        IntPtr x;
        using (trace.Module("Embedding", "embedding")) x =
            torch.Run("embedding", weights["embedding.weight"], inputs[0]);
        using (trace.Module("LSTM", "lstm")) {
          IntPtr state = torch.Make("zeros", 1, TorchShim.Size(x, 0), Hidden);
          x = torch.Run("lstm", x, state, state, weights["lstm.weight_ih"], weights["lstm.weight_hh"],
                        weights["lstm.bias_ih"], weights["lstm.bias_hh"]);
        }
        using (trace.Module("Linear", "decoder")) return new[] { torch.Run("linear", x, weights["decoder.weight"],
                                                                           weights["decoder.bias"]) };
      };
      var options = new TraceOptions { DynamicAxes = { { 0, 0, "batch" }, { 0, -1, "sequence" } } };
      using (Args args = Sentences(2, 5)) using (TorchProgram program = TorchProgram.Trace(args, code, options)) using (
          Model model = program.Export(args)) {
        Expect.Contains("onnx::LSTM", model.Text());
        Expect.Contains("/decoder/", model.Text());
        model.Verify(program);
        foreach (var size in new[] { new[] { 2, 5 }, new[] { 1, 9 }, new[] { 4, 3 } })
          using (Args other = Sentences(size[0], size[1])) using (TorchProgram same = TorchProgram.Trace(other, code))
              model.Verify(same);
        using (Model open = program.Export(args, new Options { ExportParams = false }))
            Expect.Sequence(new[] { "decoder.bias", "decoder.weight", "embedding.weight" },
                            open.InputNames.Where(n => !n.Contains("lstm") && n.Contains(".")).OrderBy(n => n));
      }
    }
  }

  private static Args Sentences(int batch, int sequence) {
    long[] words = Enumerable.Range(0, batch * sequence).Select(i => i * 7L % 11).ToArray();
    using (TensorData tensor = TensorData.From(words, batch, sequence)) return new Args().Add(tensor);
  }

  [Case]
  private static void GivesNamedResultsOneByOne() {
    using (Args args = Fixture.Inputs()) using (TorchProgram program = TorchProgram.Trace(args, (trace, inputs) => {
      using (var torch = new TorchShim()) {
        trace.Output(torch.Run("relu", inputs[0]), "positive");
        IntPtr own = trace.NewInput(0);
        trace.Output(torch.Run("sigmoid", own));
        TensorData.DeleteTorch(own);
        Expect.Refused(Status.Argument, () => trace.NewInput(1));
        Expect.Refused(Status.Argument, () => trace.NewInput(-1));
      }
      return null;
    })) using (Model model = program.Export(args)) {
      model.Verify(program, args);
      Expect.Equal(2, model.OutputNames.Count);
      Expect.Equal("positive", model.OutputNames[0]);
    }
  }

  [Case]
  private static void WhatTheCodeThrowsComesOutUnchanged() {
    var thrown = new InvalidDataException("mine");
    using (Args args = Fixture.Inputs()) {
      var e = Expect.Throws<InvalidDataException>(() => TorchProgram.Trace(args, (trace, inputs) => throw thrown));
      Expect.That(ReferenceEquals(thrown, e), "it is the same exception");
      using (var torch = new TorchShim()) {
        var own = Expect.Throws<ArithmeticException>(
            () => TorchProgram.Trace(args, (trace, inputs) => new[] { torch.Run("matmul", inputs[0], inputs[0]) }));
        Expect.Contains("mat1 and mat2", own.Message);
      }
      Works(args);
    }
  }

  [Case]
  private static void RefusesWrongUse() {
    Trace kept = null;
    using (Args args = Fixture.Inputs()) {
      using (var torch = new TorchShim()) using (TorchProgram.Trace(args, (trace, inputs) => {
        kept = trace;
        Expect.Refused(Status.Argument, () => TorchProgram.Trace(args, (t, i) => i));
        Expect.Refused(Status.Argument, () => trace.Output(IntPtr.Zero));
        Expect.Refused(Status.Argument, () => trace.Weight("w", IntPtr.Zero));
        Expect.Refused(Status.Argument, () => trace.Weight("", inputs[0]));
        Expect.Throws<ArgumentNullException>(() => trace.Weight(null, inputs[0]));
        var other = new Thread(() => Expect.Throws<InvalidOperationException>(() => trace.Output(inputs[0])));
        other.Start();
        other.Join();
        return new[] { torch.Run("relu", inputs[0]) };
      })) {}
      Expect.Throws<ObjectDisposedException>(() => kept.Output(new IntPtr(8)));
      Expect.Throws<ObjectDisposedException>(() => kept.Module("A", "a"));
      Expect.Refused(Status.Argument, () => TorchProgram.Trace(args, (trace, inputs) => null));
      Expect.Throws<ArgumentNullException>(() => TorchProgram.Trace(args, null));
      Expect.Throws<ArgumentNullException>(() => TorchProgram.Trace(null, (trace, inputs) => inputs));
      Works(args);
    }
  }

  [Case]
  private static void CopiesWeightsUnlessTheyAreShared() {
    foreach (bool share in new[] { false, true }) {
      using (Args args = Fixture.Inputs()) using (var torch = new TorchShim()) {
        IntPtr weight = torch.Make("ones", 4);
        TracedCode code = (trace, inputs) => {
          trace.Weight("weight", weight);
          return new[] { torch.Run("mul", inputs[0], weight) };
        };
        using (TorchProgram program = TorchProgram.Trace(args, code, new TraceOptions { ShareWeights = share })) using (
            Model model = Filled(torch, weight, program, args)) {
          if (share)
            Expect.Refused(Status.Verification, () => model.Verify(program));
          else
            model.Verify(program);
        }
      }
    }
  }

  [Case]
  private static void TheHostMakesTheInputsOfFurtherRuns() {
    var asked = new SortedSet<long>();
    var seen = new SortedSet<long>();
    var options = Resized(sizes => {
      asked.Add(sizes["batch"]);
      using (TensorData tensor = TensorData.From(Enumerable.Repeat(5f, (int)sizes["batch"] * 4).ToArray(),
                                                 sizes["batch"], 4)) return new Args()
          .Add(tensor);
    });
    options.Sizes.Add("batch", new[] { 7L });
    using (var torch = new TorchShim()) using (Args args = Fixture.Inputs()) using (
        TorchProgram program = TorchProgram.Trace(args, (trace, inputs) => {
          if (TorchShim.Size(inputs[0], 0) != 2) {
            Expect.Equal(5f, TorchShim.Floats(inputs[0])[0]);
            seen.Add(TorchShim.Size(inputs[0], 0));
          }
          return new[] { torch.Run("relu", inputs[0]) };
        }, options)) using (Model model = program.Export(args)) {
      Expect.That(asked.Contains(7), "the specified size is used");
      Expect.Sequence(asked, seen);
      Expect.Equal(0, model.Verify(program, null, new VerifyOptions { Sizes = { { "batch", 7 } } }).Count);
      Expect.Refused(Status.Argument,
                     () => model.Verify(program, null, new VerifyOptions { Sizes = { { "batch", 1000 } } }));
    }
  }

  [Case]
  private static void WhatMakesInputsMayFail() {
    var thrown = new InvalidDataException("no more inputs");
    Args closed = Fixture.Inputs();
    closed.Dispose();
    using (var torch = new TorchShim()) using (Args args = Fixture.Inputs()) {
      Func<TraceOptions, TorchProgram> trace = options =>
          TorchProgram.Trace(args, (t, inputs) => new[] { torch.Run("relu", inputs[0]) }, options);
      var e = Expect.Refused(Status.Callback, () => trace(Resized(sizes => throw thrown)));
      Expect.That(ReferenceEquals(thrown, e.InnerException), "it is the same exception");
      Expect.Contains("no more inputs", e.Message);
      int runs = 0;
      var rows = new TraceOptions { DynamicAxes = { { 0, 0, "rows" } } };
      e = Expect.Refused(Status.Program, () => TorchProgram.Trace(args, (t, inputs) => {
        if (runs++ > 0)
          throw thrown;
        return new[] { torch.Run("relu", inputs[0]) };
      }, rows));
      Expect.That(ReferenceEquals(thrown, e.InnerException), "the exception of a later run is the cause");
      foreach (var one in new Dictionary<Func<IReadOnlyDictionary<string, long>, Args>, Type> {
                 { sizes => null, typeof(ArgumentNullException) },
                 { sizes => closed, typeof(ObjectDisposedException) },
                 { sizes => new Args().BeginList(), typeof(TonnxException) },
               })
        Expect.Equal(one.Value,
                     Expect.Refused(Status.Callback, () => trace(Resized(one.Key))).InnerException.GetType());
      Expect.Refused(Status.Argument, () => trace(Resized(sizes => new Args())));  // not like the example
      Works(args);
    }
  }

  private static TraceOptions Resized(Func<IReadOnlyDictionary<string, long>, Args> resize) {
    return new TraceOptions { DynamicAxes = { { 0, 0, "batch" } }, Resize = resize };
  }

  [Case]
  private static void TensorsGoOutAndAreDeleted() {
    long count = TorchShim.Count;
    using (var torch = new TorchShim()) using (TensorData tensor = TensorData.From(Fixture.Tokens(), 2, 4)) {
      IntPtr given = tensor.ToTorch();
      Expect.Sequence(Fixture.Tokens().Select(x => Math.Max(x, 0)), TorchShim.Floats(torch.Run("relu", given)));
      torch.RunAll("fill_", new[] { given }, 5);
      IntPtr again = tensor.ToTorch();
      Expect.Sequence(Fixture.Tokens(), TorchShim.Floats(again));
      TensorData.DeleteTorch(again);
      TensorData.DeleteTorch(given);
      TensorData.DeleteTorch(IntPtr.Zero);
    }
    Expect.Equal(count, TorchShim.Count);
  }

  [Case]
  private static void AFunctionIsOneOperator() {
    int calls = 0;
    Symbolic symbolic = (graph, node, values) => {
      ++calls;
      Expect.Equal(3, values.Count);
      Expect.Equal(2.5, values[1].ToDouble());
      Expect.Equal(node.Overload, values[2].ToText());
      Expect.That(!values[0].RequiresGrad, "the input requires no gradient");
      return new[] { graph.Op("Max", values[0], graph.Op("Sub", values[0], values[0])) };
    };
    using (var torch = new TorchShim()) using (Args args = Fixture.Inputs()) using (
        Registry registry = new Registry().Add(
            "prim::PythonOp.MyRelu", 9,
            symbolic)) using (TorchProgram program =
                                  TorchProgram.Trace(
                                      args, (trace, inputs) => trace.Function(
                                                "MyRelu", inputs, new Attributes { { "scale", 2.5 } },
                                                () => new[] {
                                                  torch.Run("relu", inputs[0])
                                                }))) using (Model plain =
                                                                program.Export(args)) using (Model own =
                                                                                                 program.Export(
                                                                                                     args, null,
                                                                                                     registry)) {
      Expect.Contains("onnx::Relu", plain.Text());
      Expect.Contains("onnx::Max", own.Text());
      Expect.That(calls > 0, "the symbolic was called");
      own.Verify(program, args);
    }
  }

  [Case]
  private static void AFunctionThatThrowsIsDropped() {
    TracedCode code = null;
    using (var torch = new TorchShim()) using (Args args = Fixture.Inputs()) {
      code = (trace, inputs) => {
        IntPtr made = IntPtr.Zero;
        IDisposable entered = null;
        Expect.Throws<ArithmeticException>(() => trace.Function("Broken", inputs, null, () => {
          entered = trace.Module("Linear", "fc");
          made = torch.Run("relu", inputs[0]);
          throw new ArithmeticException("no kernel");
        }));
        entered.Dispose();
        Expect.Refused(Status.Argument, () => trace.Function("NoResult", inputs, null, () => new IntPtr[0]));
        return new[] { torch.Run("sigmoid", made) };
      };
      using (TorchProgram program = TorchProgram.Trace(args, code)) using (
          Model model = program.Export(args, new Options { AutogradInlining = false })) {
        Expect.Contains("onnx::Relu", model.Text());
        Expect.Contains("onnx::Sigmoid", model.Text());
      }
    }
  }

  private static Model Filled(TorchShim torch, IntPtr weight, TorchProgram program, Args args) {
    torch.RunAll("fill_", new[] { weight }, 7);
    return program.Export(args);
  }

  private static void Works(Args args) {
    using (var torch = new TorchShim()) using (
        TorchProgram program = TorchProgram.Trace(
            args, (trace, inputs) => new[] { torch.Run("relu", inputs[0]) })) using (Model model = program.Export(args))
        model.Verify(program);
  }
}

}
