using System;
using System.Linq;

namespace Tonnx.Tests {

/// Networks that are written in C#, traced with a dynamic batch and sequence, each compared with itself at three sizes.
internal static class NetworkTests {
  private const int Words = 11, Width = 8, Longest = 16, Heads = 2;

  private static TensorData Ids(int batch, int sequence) {
    return TensorData.From(Enumerable.Range(0, batch * sequence).Select(i => (i * 7L + i / 5) % Words).ToArray(), batch,
                           sequence);
  }

  private static TensorData Floats(int batch, int sequence) {
    return TensorData.From(
        Enumerable.Range(0, batch * sequence * Width).Select(i => (float)Math.Sin(i * 0.7)).ToArray(), batch, sequence,
        Width);
  }

  private static void Verify(Func<int, int, TensorData> input, string part, Func<Layers, IntPtr, IntPtr> network) {
    var options = new TraceOptions { DynamicAxes = { { 0, 0, "batch" }, { 0, 1, "sequence" } } };
    using (var layers = new Layers()) using (TensorData example = input(2, 5)) using (Args args =
                                                                                          new Args().Add(example)) {
      TracedCode code = (trace, inputs) => new[] { layers.Run(trace, () => network(layers, inputs[0])) };
      IntPtr first = example.ToTorch();
      layers.Run(null, () => network(layers, first));
      TensorData.DeleteTorch(first);
      using (TorchProgram program = TorchProgram.Trace(args, code, options)) using (
          Model model = program.Export(args)) using (Model open =
                                                         program.Export(args, new Options { ExportParams = false })) {
        Expect.Contains(part, model.Text());
        Expect.Sequence(layers.WeightNames.OrderBy(name => name), open.InputNames.Skip(1).OrderBy(name => name));
        model.Verify(program);
        foreach (var size in new[] { new[] { 2, 5 }, new[] { 1, 9 }, new[] { 4, 3 } })
          using (TensorData tensor = input(size[0], size[1])) using (Args other = new Args().Add(tensor)) using (
              TorchProgram same = TorchProgram.Trace(other, code)) model.Verify(same);
      }
    }
  }

  [Case]
  private static void Gru() {
    Verify(Ids, "onnx::GRU", (layers, ids) => {
      IntPtr x = layers.Gru("gru", layers.Embedding("words", ids, Words, Width), Width, 6);
      return layers.Linear("decoder", x, 6, Words);
    });
  }

  [Case]
  private static void TransformerEncoder() {
    Verify(Floats, "/1/attention/", (layers, x) => {
      x = layers.Block("1", layers.Block("0", x, Width, Heads, false), Width, Heads, false);
      return layers.Norm("norm", x, Width);
    });
  }

  [Case]
  private static void Gpt() {
    Verify(Ids, "/1/attention/", (layers, ids) => {
      IntPtr place = layers.Embedding("places", layers.Positions(ids), Longest, Width);
      IntPtr x = layers.Add(layers.Embedding("words", ids, Words, Width), place);
      x = layers.Block("0", x, Width, Heads, true);
      x = layers.Block("1", x, Width, Heads, true);
      return layers.Linear("decoder", layers.Norm("norm", x, Width), Width, Words);
    });
  }
}

}
