using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>What a value is.</summary>
public enum Kind {
  /// <summary>None, or no value.</summary>
  None = 0,
  /// <summary>A tensor.</summary>
  Tensor = 1,
  /// <summary>An integer.</summary>
  Int = 2,
  /// <summary>A float.</summary>
  Float = 3,
  /// <summary>A boolean.</summary>
  Bool = 4,
  /// <summary>A string.</summary>
  String = 5,
  /// <summary>A list of numbers, strings or other values.</summary>
  List = 6,
  /// <summary>A list of tensors: in a model a sequence.</summary>
  TensorList = 7,
  /// <summary>A dict, tuple, object, device, complex number, or a value of unknown type.</summary>
  Other = 8
}

/// <summary>Name and type of an input, output or weight of <see cref="Contents"/>.</summary>
public sealed class ValueInfo {
  private readonly long[] dims;
  private readonly string[] symbols;

  internal ValueInfo(NativeContents contents, int part, int index) {
    Name = contents.value_name(part, index);
    Kind = (Kind)contents.kind(part, index);
    Dtype = (Dtype)contents.dtype(part, index);
    HasRank = contents.has_rank(part, index);
    dims = contents.dims(part, index);
    symbols = contents.symbols(part, index);
  }

  /// <summary>The name; "" if it has none yet.</summary>
  public string Name { get; }
  /// <summary>What it is.</summary>
  public Kind Kind { get; }
  /// <summary>The element type; Undefined if unknown.</summary>
  public Dtype Dtype { get; }
  /// <summary>True if the rank is known.</summary>
  public bool HasRank { get; }
  /// <summary>The rank; 0 if unknown.</summary>
  public int Rank => dims.Length;

  /// <summary>A dimension's size; -1 if it is dynamic or unknown.</summary>
  public long Dim(int axis) {
    return dims[axis];
  }

  /// <summary>The name of a dynamic dimension, "batch"; may be empty.</summary>
  public string DimSymbol(int axis) {
    return symbols[axis];
  }
}

/// <summary>Inputs, outputs, weights and operators of a program or a model. Several threads may use it at
/// once.</summary>
public sealed class Contents : IDisposable {
  private const int InputPart = 0, OutputPart = 1, WeightPart = 2;
  private readonly Handle<NativeContents> handle;

  internal Contents(NativeContents native) {
    handle = new Handle<NativeContents>(nameof(Contents), native);
  }

  /// <summary>The inputs, in order.</summary>
  public IReadOnlyList<ValueInfo> Inputs => Values(InputPart);
  /// <summary>The outputs, in order.</summary>
  public IReadOnlyList<ValueInfo> Outputs => Values(OutputPart);
  /// <summary>The weights, in the order of the state dict.</summary>
  public IReadOnlyList<ValueInfo> Weights => Values(WeightPart);

  /// <summary>The elements of the weight with this index; a new tensor.</summary>
  public Tensor Weight(int index) {
    return handle.Use(c => {
      if (index < 0 || index >= c.count(WeightPart))
        throw new ArgumentOutOfRangeException(nameof(index));
      return new Tensor(c.to_tensor(WeightPart, index));
    });
  }

  /// <summary>Kinds of operators, "aten::add.Tensor" in a program and "Conv" in a model, with the number of their
  /// nodes, sorted by name.</summary>
  public IReadOnlyList<KeyValuePair<string, long>> Operators => handle.Use(
      c => c.operators().Zip(c.operator_uses(), (name, uses) => new KeyValuePair<string, long>(name, uses)).ToArray());

  private IReadOnlyList<ValueInfo> Values(int part) {
    return handle.Use(c => Enumerable.Range(0, c.count(part)).Select(i => new ValueInfo(c, part, i)).ToArray());
  }

  /// <summary>Frees the object; a second call does nothing.</summary>
  public void Dispose() {
    handle.Close();
  }
}

}
