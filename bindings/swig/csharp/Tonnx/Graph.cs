using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The ONNX graph under construction, inside a symbolic.</summary>
public sealed class Graph {
  private readonly Call call;
  private readonly int number;

  internal Graph(Call call, int number = 0) {
    this.call = call;
    this.number = number;
  }

  /// <summary>The opset of the default domain that the export targets.</summary>
  public int Opset => Use(c => c.opset());

  /// <summary>Whether the export is in training mode.</summary>
  public bool IsTraining => Use(c => c.is_training());

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
    using (NativeAttributes native =
               attributes?.ToNative()) return Use(c => c.op(number, name, numbers, native, outputs))
        .Select(call.Wrap)
        .ToArray();
  }

  /// <summary>Appends a Constant node; the tensor is shared.</summary>
  public Value Constant(Tensor tensor) {
    Require.NotNull(tensor, nameof(tensor));
    return call.Wrap(Use(c => tensor.Handle.Use(t => c.constant(number, t))));
  }

  /// <summary>Appends a Cast, or returns the value itself if it is known to have this dtype.</summary>
  public Value Cast(Value value, Dtype dtype) {
    Require.NotNull(value, nameof(value));
    return call.Wrap(Use(c => c.cast(number, call.Number(value), (int)dtype)));
  }

  /// <summary>Converts another operator of LibTorch as tonnx itself does, "aten::gelu" or "aten::add.Tensor", with one
  /// output. The inputs are its first arguments, null is None; further arguments are given by name: ints (0 and 1 are
  /// also bools), floats, strings, tensors and lists of these. Symbolics are not called.</summary>
  public Value Call(string name, IEnumerable<Value> inputs, Attributes arguments = null) {
    return Call(name, inputs, arguments, 1)[0];
  }

  /// <summary>Converts another operator with several outputs; one without ONNX counterpart is null.</summary>
  public IReadOnlyList<Value> Call(string name, IEnumerable<Value> inputs, Attributes arguments, int outputs) {
    Require.NotNull(name, nameof(name));
    int[] numbers = call.Numbers(Require.NotNull(inputs, nameof(inputs)));
    using (NativeAttributes native =
               arguments?.ToNative()) return Use(c => c.call(number, name, numbers, native, outputs))
        .Select(call.Wrap)
        .ToArray();
  }

  /// <summary>A list of tensors, as an argument of Call; null is None.</summary>
  public Value List(params Value[] values) {
    int[] numbers = call.Numbers(Require.NotNull(values, nameof(values)));
    return call.Wrap(Use(c => c.list(number, numbers)));
  }

  /// <summary>Adds a sub-graph: a branch of an If ("then_branch", "else_branch") or the body of a Loop or Scan
  /// ("body"). Its nodes may use the values of the graphs around it. Set its results, then pass it as an attribute to
  /// Op of this graph.</summary>
  public Graph Subgraph() {
    return new Graph(call, Use(c => c.subgraph(number)));
  }

  /// <summary>Adds an input to a sub-graph.</summary>
  public Value Input() {
    return call.Wrap(Use(c => c.input(number)));
  }

  /// <summary>Ends a sub-graph. A symbolic returns its own results instead.</summary>
  public void SetResults(params Value[] values) {
    int[] numbers = call.Numbers(Require.NotNull(values, nameof(values)));
    call.Use(nameof(Graph), c => c.set_results(number, numbers));
  }

  internal void SetAsAttribute(NativeAttributes attributes, string name) {
    call.Use(nameof(Graph), c => c.set_graph(attributes, name, number));
  }

  private R Use<R>(Func<NativeCall, R> body) {
    return call.Use(nameof(Graph), body);
  }
}

}
