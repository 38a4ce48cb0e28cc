using System;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The source operator, inside a symbolic.</summary>
public sealed class Node {
  private readonly Call call;

  internal Node(Call call) {
    this.call = call;
  }

  /// <summary>"aten::add".</summary>
  public string Operator => Use(c => c.node_name());
  /// <summary>"Tensor"; may be empty.</summary>
  public string Overload => Use(c => c.node_overload());
  /// <summary>"layer1.0"; may be empty.</summary>
  public string Module => Use(c => c.node_module());
  /// <summary>"model.py:12"; may be empty.</summary>
  public string Source => Use(c => c.node_source());
  /// <summary>Number of outputs.</summary>
  public int OutputCount => Use(c => c.node_output_count());

  /// <summary>Index of the schema's argument with this name, or -1.</summary>
  public int Argument(string name) {
    Require.NotNull(name, nameof(name));
    return Use(c => c.node_argument(name));
  }

  /// <summary>An output as LibTorch computes it: a value with dtype and shape to read. It cannot be an input of an ONNX
  /// node.</summary>
  public Value Output(int index = 0) {
    return call.Wrap(Use(c => c.node_output(index)));
  }

  private R Use<R>(Func<NativeCall, R> body) {
    return call.Use(nameof(Node), body);
  }
}

}
