using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>How a model is compared with its program. A plain object: <see
/// cref="Model.Verify(Program, Args, VerifyOptions)"/> reads it.</summary>
public sealed class VerifyOptions {
  /// <summary>By how much a value may differ, relative to the program's. Default: by the loosest floating dtype in the
  /// model.</summary>
  public double? RelativeTolerance { get; set; }
  /// <summary>By how much a value may differ beside that. Default: by the loosest floating dtype in the model.</summary>
  public double? AbsoluteTolerance { get; set; }
  /// <summary>Sizes that dynamic axes, by symbol, have in the second run. Default: sizes that tonnx chooses; of a trace, one
  /// that it ran at.</summary>
  public IDictionary<string, long> Sizes { get; } = new Dictionary<string, long>();
  /// <summary>Whether there is a second run. Default: true.</summary>
  public bool OtherSizes { get; set; } = true;

  internal NativeVerifyOptions ToNative() {
    NativeRuntime.Start();
    var native = new NativeVerifyOptions();
    try {
      native.tolerance(RelativeTolerance ?? -1, AbsoluteTolerance ?? -1);
      foreach (var one in Sizes) native.size(one.Key, one.Value);
      native.other_sizes(OtherSizes);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

}
