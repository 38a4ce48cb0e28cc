using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A value inside a symbolic, with the properties that hold in every run of the model.</summary>
public sealed class Value {
  internal Value(Call call, int number) {
    Call = call;
    Number = number;
  }

  internal Call Call { get; }
  internal int Number { get; }

  /// <summary>The name; "" if it has none yet.</summary>
  public string Name => Use(c => c.value_name(Number));
  /// <summary>What it is.</summary>
  public Kind Kind => Use(c => (Kind)c.kind(Number));
  /// <summary>The element type; Undefined if unknown.</summary>
  public Dtype Dtype => Use(c => (Dtype)c.dtype(Number));
  /// <summary>True if the rank is known.</summary>
  public bool HasRank => Use(c => c.has_rank(Number));
  /// <summary>The rank; 0 if unknown.</summary>
  public int Rank => Use(c => c.rank(Number));
  /// <summary>True for an omitted optional argument.</summary>
  public bool IsNone => Use(c => c.is_none(Number));
  /// <summary>True for an argument or an output of a function of a trace whose tensor required gradients when the code
  /// ran.</summary>
  public bool RequiresGrad => Use(c => c.requires_grad(Number));
  /// <summary>True for a constant.</summary>
  public bool IsConstant => Use(c => c.is_constant(Number));

  /// <summary>A dimension's size; -1 if it is dynamic or unknown.</summary>
  public long Dim(int axis) {
    return Use(c => c.dim(Number, axis));
  }

  /// <summary>The name of a dynamic dimension, "batch"; may be empty.</summary>
  public string DimSymbol(int axis) {
    return Use(c => c.dim_symbol(Number, axis));
  }

  /// <summary>A constant int or bool. This and the following methods throw a TonnxException if
  /// the value is not a constant of that kind.</summary>
  public long ToInt64() {
    return Use(c => c.to_int(Number));
  }

  /// <summary>A constant float or int.</summary>
  public double ToDouble() {
    return Use(c => c.to_float(Number));
  }

  /// <summary>A constant bool.</summary>
  public bool ToBoolean() {
    return Use(c => c.to_bool(Number));
  }

  /// <summary>A constant string.</summary>
  public string ToText() {
    return Use(c => c.to_string(Number));
  }

  /// <summary>A constant list of ints.</summary>
  public long[] ToInt64Array() {
    return Use(c => c.to_ints(Number));
  }

  /// <summary>A constant list of floats.</summary>
  public double[] ToDoubleArray() {
    return Use(c => c.to_floats(Number));
  }

  /// <summary>A constant tensor or a weight; a new tensor that outlives the symbolic.</summary>
  public Tensor ToTensor() {
    return new Tensor(Use(c => c.to_tensor(Number)));
  }

  /// <summary>The items of a list of tensors.</summary>
  public IReadOnlyList<Value> ToList() {
    return Use(c => c.to_list(Number)).Select(Call.Wrap).ToArray();
  }

  /// <summary>Sets the type of a value that ONNX cannot infer, such as
  /// a result of a custom operator; -1 is an unknown dimension.</summary>
  public void SetType(Dtype dtype, params long[] dims) {
    Require.NotNull(dims, nameof(dims));
    Call.Use(nameof(Value), c => c.set_type(Number, (int)dtype, dims));
  }

  /// <summary>Same, with the type of another value, such as an output of the source operator.</summary>
  public void CopyType(Value from) {
    Require.NotNull(from, nameof(from));
    Call.Use(nameof(Value), c => c.copy_type(Number, Call.Number(from)));
  }

  private R Use<R>(System.Func<NativeCall, R> body) {
    return Call.Use(nameof(Value), body);
  }
}

}
