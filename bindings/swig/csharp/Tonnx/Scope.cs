using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// The owner of graphs, nodes and values, which are numbers in native code: one run of a symbolic, or contents.
internal abstract class Scope {
  /// Calls `body` with the native owner, which lives meanwhile. `what` is the class of the caller.
  internal abstract R Read<R>(string what, Func<NativeReader, R> body);

  /// The same, for calls that change the graph.
  internal abstract R Use<R>(string what, Func<NativeCall, R> body);

  internal void Use(string what, Action<NativeCall> body) {
    Use(what, call => {
      body(call);
      return true;
    });
  }

  internal Value Wrap(int number) {
    return number < 0 ? null : new Value(this, number);
  }

  internal Node WrapNode(int number) {
    return number < 0 ? null : new Node(this, number);
  }

  internal Graph WrapGraph(int number) {
    return number < 0 ? null : new Graph(this, number);
  }

  /// The values' numbers; -1 for null.
  internal int[] Numbers(IEnumerable<Value> values) {
    return values.Select(Number).ToArray();
  }

  internal int Number(Value value) {
    if (value == null)
      return -1;
    if (value.Scope != this)
      throw new ArgumentException("the value belongs to another run of a symbolic");
    return value.Number;
  }
}

}
