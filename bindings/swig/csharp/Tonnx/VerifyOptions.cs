using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>How to compare a model with its program. A plain object: <see
/// cref="Model.Verify(TorchProgram, Args, VerifyOptions)"/> reads it.</summary>
public sealed class VerifyOptions {
  // Made from options.json by scripts/options.py.
  /// <summary>Relative tolerance: |model - program| &lt;= atol + rtol * |program|. Negative: the default. Integers are
  /// compared exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on
  /// an accelerator 1e-2, float64 1e-5).</summary>
  public double? Rtol { get; set; }
  /// <summary>Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating
  /// dtype in the model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7).</summary>
  public double? Atol { get; set; }
  /// <summary>Tolerances of the results of an operator, by its name ('aten::gelu', or 'aten::add.Tensor' for one
  /// overload): outputs of the model that it makes, also through views, but not through a branch or another operator;
  /// and, in a search for the operators that differ, the results of each part that it makes. A negative value means
  /// rtol or atol. Lists of tuples or dicts have none. A verification warns of a tolerance that no output uses.
  /// Default: none: rtol and atol for all results.</summary>
  public IDictionary<string, (double Rtol, double Atol)> OperatorTolerances { get; } =
      new Dictionary<string, (double Rtol, double Atol)>();
  /// <summary>Share of the elements of an output that may differ by more than the tolerances, from 0 to 1. Default: 0,
  /// also if it is negative: no element may differ.</summary>
  public double? AcceptedShare { get; set; }
  /// <summary>Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared.
  /// Default: true.</summary>
  public bool CheckDtype { get; set; } = true;
  /// <summary>Compare shapes. If off, an output may have another shape with the same number of elements, which are
  /// compared in order. Default: true.</summary>
  public bool CheckShape { get; set; } = true;
  /// <summary>Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the
  /// CPU. Default: "".</summary>
  public string Provider { get; set; }
  /// <summary>Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model. Default:
  /// none.</summary>
  public IList<string> RuntimeLibraries { get; } = new List<string>();
  /// <summary>Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace,
  /// one that it was run at.</summary>
  public IDictionary<string, long> Sizes { get; } = new Dictionary<string, long>();
  /// <summary>Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one
  /// at size 1. Default: true.</summary>
  public bool OtherSizes { get; set; } = true;
  /// <summary>When searching for the operators that differ, also compare every operator alone, on LibTorch's values.
  /// This finds differences that the outputs hide. Default: false.</summary>
  public bool EveryOperator { get; set; }
  // Made until here.
  /// <summary>Follows and cancels the verifications and searches. Default: none.</summary>
  public Observer Observer { get; set; }

  internal NativeVerifyOptions ToNative() {
    NativeRuntime.Start();
    var native = new NativeVerifyOptions();
    try {
      // Made from options.json by scripts/options.py.
      if (Rtol.HasValue)
        native.rtol(Rtol.Value);
      if (Atol.HasValue)
        native.atol(Atol.Value);
      foreach (var one in OperatorTolerances) native.operator_tolerance(one.Key, one.Value.Rtol, one.Value.Atol);
      if (AcceptedShare.HasValue)
        native.accepted_share(AcceptedShare.Value);
      native.check_dtype(CheckDtype);
      native.check_shape(CheckShape);
      if (Provider != null)
        native.provider(Provider);
      foreach (string name in RuntimeLibraries) native.runtime_library(name);
      foreach (var one in Sizes) native.size(one.Key, one.Value);
      native.other_sizes(OtherSizes);
      native.every_operator(EveryOperator);
      // Made until here.
      Observer?.Lend(native.observer);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

}
