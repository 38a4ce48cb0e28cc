using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The source operator, inside a symbolic; or a node of <see cref="Contents"/>. Objects of the same node are
/// equal.</summary>
public sealed class Node : Scoped<Node> {
  internal Node(Scope scope, int number) : base(scope, number) {}

  /// <summary>"aten::add"; of a model "Add".</summary>
  public string Operator => Read(c => c.operator_name(Number));
  /// <summary>"Tensor"; may be empty.</summary>
  public string Overload => Read(c => c.node_overload(Number));
  /// <summary>The name of a node of a model; may be empty.</summary>
  public string Name => Read(c => c.node_name(Number));
  /// <summary>"layer1.0"; may be empty.</summary>
  public string Module => Read(c => c.node_module(Number));
  /// <summary>"model.py:12"; may be empty.</summary>
  public string Source => Read(c => c.node_source(Number));
  /// <summary>Number of outputs.</summary>
  public int OutputCount => Read(c => c.node_output_count(Number));
  /// <summary>The outputs.</summary>
  public IReadOnlyList<Value> Outputs => Read(c => c.node_outputs(Number).Select(Scope.Wrap).ToArray());
  /// <summary>The inputs; null is an omitted one.</summary>
  public IReadOnlyList<Value> Inputs => Read(c => c.node_inputs(Number).Select(Scope.Wrap).ToArray());
  /// <summary>The indices of the inputs, with tensors and lists of tensors before all others, as in old symbolics of
  /// PyTorch.</summary>
  public int[] TensorsFirst => Read(c => c.tensors_first(Number));
  /// <summary>The attributes, without graphs, sorted by name: values with name, kind and content.</summary>
  public IReadOnlyList<Value> Attributes => Read(c => c.node_attributes(Number).Select(Scope.Wrap).ToArray());
  /// <summary>The blocks of a node of contents: the branches of an If, the body of a Loop or Scan.</summary>
  public IReadOnlyList<Graph> Graphs => Read(c => c.node_graphs(Number).Select(Scope.WrapGraph).ToArray());
  /// <summary>The graph that contains a node of contents; null in a symbolic.</summary>
  public Graph Parent => Read(c => Scope.WrapGraph(c.node_parent(Number)));

  /// <summary>Index of the schema's argument with this name, or -1.</summary>
  public int ArgumentIndex(string name) {
    Require.NotNull(name, nameof(name));
    return Read(c => c.node_argument_index(Number, name));
  }

  /// <summary>An output; in a symbolic as LibTorch computes it: a value with dtype and shape to read, which cannot be
  /// an input of an ONNX node.</summary>
  public Value Output(int index = 0) {
    return Read(c => Scope.Wrap(c.node_output(Number, index)));
  }

  /// <summary>The attribute with this name; null if the node has none.</summary>
  public Value Attribute(string name) {
    Require.NotNull(name, nameof(name));
    return Read(c => Scope.Wrap(c.node_attribute(Number, name)));
  }

  private R Read<R>(Func<NativeReader, R> body) {
    return Scope.Read(nameof(Node), body);
  }
}

}
