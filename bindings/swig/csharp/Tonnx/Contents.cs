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
  Other = 8,
  /// <summary>An attribute that is the type of a tensor or a sequence, with dtype and dims.</summary>
  Type = 9
}

/// <summary>Inputs, outputs, weights, operators and the graph of a program or a model. Several threads may use it at
/// once. Graphs, nodes and values that are reached from it can be read until it is disposed.</summary>
public sealed class Contents : IDisposable {
  private readonly Handle<NativeContents> handle;
  private readonly Scope scope;

  internal Contents(NativeContents native) {
    handle = new Handle<NativeContents>(nameof(Contents), native);
    scope = new ContentsScope(handle);
  }

  /// <summary>The inputs, in order.</summary>
  public IReadOnlyList<Value> Inputs => Values(c => c.inputs());
  /// <summary>The outputs, in order.</summary>
  public IReadOnlyList<Value> Outputs => Values(c => c.outputs());
  /// <summary>The weights, in the order of the state dict; Value.ToTensor returns their elements.</summary>
  public IReadOnlyList<Value> Weights => Values(c => c.weights());

  /// <summary>The outermost graph, to walk. That of a program is unconverted, with its branches and loops.</summary>
  public Graph Graph => scope.WrapGraph(0);

  /// <summary>Kinds of operators, "aten::add.Tensor" in a program and "Conv" in a model, with the number of their
  /// nodes, sorted by name.</summary>
  public IReadOnlyList<KeyValuePair<string, long>> Operators => handle.Use(
      c => c.operators().Zip(c.operator_uses(), (name, uses) => new KeyValuePair<string, long>(name, uses)).ToArray());

  private IReadOnlyList<Value> Values(Func<NativeContents, int[]> read) {
    return handle.Use(read).Select(scope.Wrap).ToArray();
  }

  /// <summary>Frees the object; a second call does nothing.</summary>
  public void Dispose() {
    handle.Close();
  }
}

internal sealed class ContentsScope : Scope {
  private readonly Handle<NativeContents> handle;

  internal ContentsScope(Handle<NativeContents> handle) {
    this.handle = handle;
  }

  internal override R Read<R>(string what, Func<NativeReader, R> body) {
    return handle.Use(contents => body(contents));
  }

  internal override R Use<R>(string what, Func<NativeCall, R> body) {
    throw new InvalidOperationException("graphs, nodes and values of contents can only be read");
  }
}

}
