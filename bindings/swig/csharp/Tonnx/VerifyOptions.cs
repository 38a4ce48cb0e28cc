using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>How a model is compared with its program. A plain object: <see
/// cref="Model.Verify(Program, Args, VerifyOptions)"/> reads it.</summary>
public sealed class VerifyOptions {
  // Made from options.json by scripts/options.py.
  /// <summary>By how much a value may differ, relative to the program's: |model - program| &lt;= atol + rtol *
  /// |program|; below 0 the default. Integers are compared exactly. Default: by the loosest floating dtype in the model
  /// (float16 and bfloat16 1e-2, float32 1e-3, on an accelerator 1e-2, float64 1e-5).</summary>
  public double? Rtol { get; set; }
  /// <summary>By how much a value may differ beside that; below 0 the default. Default: by the loosest floating dtype
  /// in the model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7).</summary>
  public double? Atol { get; set; }
  /// <summary>The size that a dynamic axis, by its symbol, has in the second run. Default: one that tonnx chooses; of a
  /// trace, one that it ran at.</summary>
  public IDictionary<string, long> Sizes { get; } = new Dictionary<string, long>();
  /// <summary>A second run, at another size of each dynamic axis, and one with each axis that is broadcast with another
  /// at size 1. Default: true.</summary>
  public bool OtherSizes { get; set; } = true;
  /// <summary>Of what tells which operators differ: check every operator on its own as well, on LibTorch's values,
  /// which finds differences that the results do not show. Default: false.</summary>
  public bool EveryOperator { get; set; }
  // Made until here.

  internal NativeVerifyOptions ToNative() {
    NativeRuntime.Start();
    var native = new NativeVerifyOptions();
    try {
      // Made from options.json by scripts/options.py.
      if (Rtol.HasValue)
        native.rtol(Rtol.Value);
      if (Atol.HasValue)
        native.atol(Atol.Value);
      foreach (var one in Sizes) native.size(one.Key, one.Value);
      native.other_sizes(OtherSizes);
      native.every_operator(EveryOperator);
      // Made until here.
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

}
