using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A use of a value of <see cref="Contents"/>: an input of a node.</summary>
public sealed class Use {
  internal Use(Node node, int index) {
    Node = node;
    Index = index;
  }

  /// <summary>The user. A graph or block that returns the value uses it as an input of a node "prim::Return", which is
  /// not one of its nodes; Node.Parent is the graph.</summary>
  public Node Node { get; }
  /// <summary>Which input of the node the value is.</summary>
  public int Index { get; }
}

/// <summary>A value inside a symbolic, with the properties that hold in every run of the model; or a value of
/// <see cref="Contents"/>, or of an attribute, which can only be read. Objects of the same value of contents are
/// equal.</summary>
public sealed class Value : Scoped<Value> {
  internal Value(Scope scope, int number) : base(scope, number) {}

  /// <summary>The name; "" if it has none yet.</summary>
  public string Name => Read(c => c.value_name(Number));
  /// <summary>What it is.</summary>
  public Kind Kind => Read(c => (Kind)c.kind(Number));
  /// <summary>The type as in a schema, "Tensor" or "int[]"; may be empty.</summary>
  public string Type => Read(c => c.value_type(Number));
  /// <summary>The element type; Undefined if unknown.</summary>
  public Dtype Dtype => Read(c => (Dtype)c.dtype(Number));
  /// <summary>True if the rank is known.</summary>
  public bool HasRank => Read(c => c.has_rank(Number));
  /// <summary>The rank; 0 if unknown.</summary>
  public int Rank => Read(c => c.rank(Number));
  /// <summary>True for an omitted optional argument.</summary>
  public bool IsNone => Read(c => c.is_none(Number));
  /// <summary>True for an argument or an output of a function of a trace whose tensor required gradients when the code
  /// ran.</summary>
  public bool RequiresGrad => Read(c => c.requires_grad(Number));
  /// <summary>True for a constant.</summary>
  public bool IsConstant => Read(c => c.is_constant(Number));

  /// <summary>The node that computes a value of contents; null for inputs and weights, and in a symbolic.</summary>
  public Node Producer => Read(c => Scope.WrapNode(c.value_producer(Number)));
  /// <summary>The uses of a value of contents, also those in blocks.</summary>
  public IReadOnlyList<Use> Uses =>
      Read(c => c.value_users(Number)
                    .Zip(c.value_use_indices(Number), (user, index) => new Use(Scope.WrapNode(user), index))
                    .ToArray());

  /// <summary>A dimension's size; -1 if it is dynamic or unknown.</summary>
  public long Dim(int axis) {
    return Read(c => c.dim(Number, axis));
  }

  /// <summary>The name of a dynamic dimension, "batch"; may be empty.</summary>
  public string DimSymbol(int axis) {
    return Read(c => c.dim_symbol(Number, axis));
  }

  /// <summary>A constant int or bool. This and the following methods throw a TonnxException if
  /// the value is not a constant of that kind.</summary>
  public long ToInt64() {
    return Read(c => c.to_int(Number));
  }

  /// <summary>A constant float or int.</summary>
  public double ToDouble() {
    return Read(c => c.to_float(Number));
  }

  /// <summary>A constant bool.</summary>
  public bool ToBoolean() {
    return Read(c => c.to_bool(Number));
  }

  /// <summary>A constant string.</summary>
  public string ToText() {
    return Read(c => c.to_string(Number));
  }

  /// <summary>A constant list of ints.</summary>
  public long[] ToInt64Array() {
    return Read(c => c.to_ints(Number));
  }

  /// <summary>A constant list of floats.</summary>
  public double[] ToDoubleArray() {
    return Read(c => c.to_floats(Number));
  }

  /// <summary>A constant list of strings.</summary>
  public string[] ToTextArray() {
    return Read(c => c.to_strings(Number));
  }

  /// <summary>A constant tensor or a weight; a new tensor that outlives the symbolic.</summary>
  public TensorData ToTensor() {
    return new TensorData(Read(c => c.to_tensor(Number)));
  }

  /// <summary>The items of a list of tensors.</summary>
  public IReadOnlyList<Value> ToList() {
    return Read(c => c.to_list(Number)).Select(Scope.Wrap).ToArray();
  }

  /// <summary>Sets the type of a value that ONNX cannot infer, such as
  /// a result of a custom operator; -1 is an unknown dimension.</summary>
  public void SetType(Dtype dtype, params long[] dims) {
    Require.NotNull(dims, nameof(dims));
    Scope.Use(nameof(Value), c => c.set_type(Number, (int)dtype, dims));
  }

  /// <summary>Same, with the type of another value, such as an output of the source operator.</summary>
  public void CopyType(Value from) {
    Require.NotNull(from, nameof(from));
    Scope.Use(nameof(Value), c => c.copy_type(Number, Scope.Number(from)));
  }

  private R Read<R>(Func<NativeReader, R> body) {
    return Scope.Read(nameof(Value), body);
  }
}

}
