using System;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// One run of a symbolic. Its graph, node and values are valid until it ends, on one thread at a time.
internal sealed class Call {
  private NativeCall native;

  internal Call(NativeCall native) {
    this.native = native;
  }

  internal void End() {
    lock (this) native = null;
  }

  internal R Use<R>(string what, Func<NativeCall, R> body) {
    lock (this) return body(Open(what));
  }

  internal void Use(string what, Action<NativeCall> body) {
    lock (this) body(Open(what));
  }

  /// The values' numbers; -1 for null.
  internal int[] Numbers(IEnumerable<Value> values) {
    return values.Select(Number).ToArray();
  }

  internal int Number(Value value) {
    if (value == null)
      return -1;
    if (value.Call != this)
      throw new ArgumentException("the value belongs to another run of a symbolic");
    return value.Number;
  }

  internal Value Wrap(int number) {
    return number < 0 ? null : new Value(this, number);
  }

  private NativeCall Open(string what) {
    if (native == null)
      throw new ObjectDisposedException(what, "The symbolic that it belongs to has returned.");
    return native;
  }
}

}
