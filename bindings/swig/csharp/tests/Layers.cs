using System;
using System.Collections.Generic;

namespace Tonnx.Tests {

/// Layers of networks written in C# over the LibTorch client of the tests. Weights are made when their layer first
/// runs, and have its path in their name.
internal sealed class Layers : IDisposable {
  private readonly TorchShim torch = new TorchShim();
  private readonly Dictionary<string, IntPtr> weights = new Dictionary<string, IntPtr>();
  private Trace trace;
  private string path = "";

  internal IEnumerable<string> WeightNames => weights.Keys;

  /// Runs a network whose weights are there in a trace; or outside of any, which makes them.
  internal IntPtr Run(Trace inside, Func<IntPtr> network) {
    trace = inside;
    try {
      if (trace != null)
        foreach (var weight in weights) trace.Weight(weight.Key, weight.Value);
      return network();
    } finally {
      trace = null;
    }
  }

  internal IntPtr Embedding(string name, IntPtr ids, long words, long width) {
    return Module("Embedding", name, () => torch.Run("embedding", Weight("weight", words, width), ids));
  }

  internal IntPtr Linear(string name, IntPtr x, long inputs, long outputs) {
    return Module("Linear", name,
                  () => torch.Run("linear", x, Weight("weight", outputs, inputs), Weight("bias", outputs)));
  }

  internal IntPtr Norm(string name, IntPtr x, long width) {
    return Module("LayerNorm", name, () => torch.Run("layer_norm", x, Weight("weight", width), Weight("bias", width)));
  }

  internal IntPtr Gru(string name, IntPtr x, long inputs, long hidden) {
    return Module("GRU", name, () => {
      IntPtr state = torch.Make("zeros", 1, TorchShim.Size(x, 0), hidden);
      return torch.Run("gru", x, state, Weight("weight_ih", 3 * hidden, inputs),
                       Weight("weight_hh", 3 * hidden, hidden), Weight("bias_ih", 3 * hidden),
                       Weight("bias_hh", 3 * hidden));
    });
  }

  /// A Transformer block; a causal one only attends to earlier positions.
  internal IntPtr Block(string name, IntPtr x, long width, long heads, bool causal) {
    return Module("Block", name, () => {
      IntPtr seen = Add(x, Attention("attention", Norm("before", x, width), width, heads, causal));
      IntPtr wide = torch.Run("gelu", Linear("wide", Norm("between", seen, width), width, 4 * width));
      return Add(seen, Linear("narrow", wide, 4 * width, width));
    });
  }

  internal IntPtr Positions(IntPtr x) {
    return torch.Make("arange", TorchShim.Size(x, 1));
  }

  internal IntPtr Add(IntPtr x, IntPtr y) {
    return torch.Run("add", x, y);
  }

  private IntPtr Attention(string name, IntPtr x, long width, long heads, bool causal) {
    return Module("Attention", name, () => {
      long batch = TorchShim.Size(x, 0), sequence = TorchShim.Size(x, 1);
      IntPtr[] parts = torch.RunAll("chunk", new[] { Linear("joint", x, width, 3 * width) }, 3, 2);
      for (int i = 0; i < parts.Length; ++i)
        parts[i] = Turned(torch.RunAll("reshape", new[] { parts[i] }, batch, sequence, heads, width / heads)[0], 1, 2);
      IntPtr scores = torch.Run("matmul", parts[0], Turned(parts[1], 2, 3));
      scores = torch.RunAll("divide", new[] { scores }, width / heads)[0];
      if (causal)
        scores = torch.Run("masked", scores, torch.Run("tril", torch.Make("ones", sequence, sequence)));
      IntPtr mixed = torch.Run("matmul", torch.RunAll("softmax", new[] { scores }, -1)[0], parts[2]);
      IntPtr joined = torch.RunAll("reshape", new[] { Turned(mixed, 1, 2) }, batch, sequence, width)[0];
      return Linear("output", joined, width, width);
    });
  }

  private IntPtr Turned(IntPtr x, long first, long second) {
    return torch.RunAll("transpose", new[] { x }, first, second)[0];
  }

  private IntPtr Weight(string name, params long[] dims) {
    if (!weights.TryGetValue(path + name, out IntPtr weight))
      weights[path + name] = weight = torch.Make("randn", dims);
    return weight;
  }

  private IntPtr Module(string type, string name, Func<IntPtr> body) {
    string outer = path;
    path += name + ".";
    try {
      using (trace?.Module(type, name)) return body();
    } finally {
      path = outer;
    }
  }

  public void Dispose() {
    torch.Dispose();
  }
}

}
