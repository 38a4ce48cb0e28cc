using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The ONNX graph under construction, inside a symbolic.</summary>
public sealed class Graph {
  private readonly Call call;

  internal Graph(Call call) {
    this.call = call;
  }

  /// <summary>The opset of the default domain that the export targets.</summary>
  public int Opset => Use(c => c.opset());

  /// <summary>Appends a node with one output and no attributes. The name is an operator of the default domain, "Conv",
  /// or "domain::Op"; a null input is an omitted optional input; a constant becomes a Constant node.</summary>
  public Value Op(string name, params Value[] inputs) {
    return Op(name, inputs, null);
  }

  /// <summary>Appends a node with one output.</summary>
  public Value Op(string name, IEnumerable<Value> inputs, Attributes attributes) {
    return Op(name, inputs, attributes, 1)[0];
  }

  /// <summary>Appends a node with several outputs.</summary>
  public IReadOnlyList<Value> Op(string name, IEnumerable<Value> inputs, Attributes attributes, int outputs) {
    Require.NotNull(name, nameof(name));
    int[] numbers = call.Numbers(Require.NotNull(inputs, nameof(inputs)));
    using (NativeAttributes native = attributes?.ToNative()) return Use(c => c.op(name, numbers, native, outputs))
        .Select(call.Wrap)
        .ToArray();
  }

  /// <summary>Appends a Constant node; the tensor is shared.</summary>
  public Value Constant(Tensor tensor) {
    Require.NotNull(tensor, nameof(tensor));
    return call.Wrap(Use(c => tensor.Handle.Use(c.constant)));
  }

  /// <summary>Appends a Cast, or returns the value itself if it is known to have this dtype.</summary>
  public Value Cast(Value value, Dtype dtype) {
    Require.NotNull(value, nameof(value));
    return call.Wrap(Use(c => c.cast(call.Number(value), (int)dtype)));
  }

  private R Use<R>(Func<NativeCall, R> body) {
    return call.Use(nameof(Graph), body);
  }
}

}
