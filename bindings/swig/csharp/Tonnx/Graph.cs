using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The ONNX graph under construction, inside a symbolic; or a graph or block of <see cref="Contents"/>, which
/// can only be read. Objects of the same graph are equal.</summary>
public sealed class Graph : Scoped<Graph> {
  internal Graph(Scope scope, int number) : base(scope, number) {}

  /// <summary>The opset of the default domain that the export targets, or that a model has; 0 for a program.</summary>
  public int Opset => Read(c => c.opset(Number));
  /// <summary>The name of a graph of contents; for a block that of the attribute, such as "then_branch".</summary>
  public string Name => Read(c => c.graph_name(Number));
  /// <summary>The node of a block of contents, such as an If or an operator of another domain; null for the outermost
  /// graph.</summary>
  public Node Owner => Read(c => Scope.WrapNode(c.graph_owner(Number)));
  /// <summary>The nodes of a graph of contents in the order in which they run, without those of blocks.</summary>
  public IReadOnlyList<Node> Nodes => Read(c => c.graph_nodes(Number).Select(Scope.WrapNode).ToArray());
  /// <summary>The inputs of a graph of contents; weights are not among them.</summary>
  public IReadOnlyList<Value> Inputs => Read(c => c.graph_inputs(Number).Select(Scope.Wrap).ToArray());
  /// <summary>The outputs of a graph of contents.</summary>
  public IReadOnlyList<Value> Outputs => Read(c => c.graph_outputs(Number).Select(Scope.Wrap).ToArray());

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
    int[] numbers = Scope.Numbers(Require.NotNull(inputs, nameof(inputs)));
    using (NativeAttributes native =
               attributes?.ToNative()) return Use(c => c.op(Number, name, numbers, native, outputs))
        .Select(Scope.Wrap)
        .ToArray();
  }

  /// <summary>Appends a Constant node; the tensor is shared.</summary>
  public Value Constant(TensorData tensor) {
    Require.NotNull(tensor, nameof(tensor));
    return Scope.Wrap(Use(c => tensor.Handle.Use(t => c.constant(Number, t))));
  }

  /// <summary>Appends a Cast, or returns the value itself if it is known to have this dtype.</summary>
  public Value Cast(Value value, Dtype dtype) {
    Require.NotNull(value, nameof(value));
    return Scope.Wrap(Use(c => c.cast(Number, Scope.Number(value), (int)dtype)));
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
    int[] numbers = Scope.Numbers(Require.NotNull(inputs, nameof(inputs)));
    using (NativeAttributes native =
               arguments?.ToNative()) return Use(c => c.call(Number, name, numbers, native, outputs))
        .Select(Scope.Wrap)
        .ToArray();
  }

  /// <summary>A list of tensors, as an argument of Call; null is None.</summary>
  public Value List(params Value[] values) {
    int[] numbers = Scope.Numbers(Require.NotNull(values, nameof(values)));
    return Scope.Wrap(Use(c => c.list(Number, numbers)));
  }

  /// <summary>Adds a sub-graph: a branch of an If ("then_branch", "else_branch"), the body of a Loop, Scan or
  /// SequenceMap ("body"), or any attribute of an operator of another domain. Its nodes may use the values of the
  /// graphs around it. Set its results, then pass it as an attribute to Op of this graph.</summary>
  public Graph AddSubgraph() {
    return Scope.WrapGraph(Use(c => c.add_subgraph(Number)));
  }

  /// <summary>Adds an input to a sub-graph.</summary>
  public Value AddInput() {
    return Scope.Wrap(Use(c => c.add_input(Number)));
  }

  /// <summary>Ends a sub-graph. A symbolic returns its own results instead.</summary>
  public void SetResults(params Value[] values) {
    int[] numbers = Scope.Numbers(Require.NotNull(values, nameof(values)));
    Scope.Use(nameof(Graph), c => c.set_results(Number, numbers));
  }

  internal void SetAsAttribute(NativeAttributes attributes, string name) {
    Scope.Use(nameof(Graph), c => c.set_graph(attributes, name, Number));
  }

  private R Read<R>(Func<NativeReader, R> body) {
    return Scope.Read(nameof(Graph), body);
  }

  private R Use<R>(Func<NativeCall, R> body) {
    return Scope.Use(nameof(Graph), body);
  }
}

}
