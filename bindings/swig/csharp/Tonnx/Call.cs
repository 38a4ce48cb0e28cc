using System;
using Tonnx.Internal;

namespace Tonnx {

/// One run of a symbolic. Its graph, node and values are valid until it ends, on one thread at a time.
internal sealed class Call : Scope {
  private NativeCall native;

  internal Call(NativeCall native) {
    this.native = native;
  }

  internal void End() {
    lock (this) native = null;
  }

  internal override R Read<R>(string what, Func<NativeReader, R> body) {
    lock (this) return body(Open(what));
  }

  internal override R Use<R>(string what, Func<NativeCall, R> body) {
    lock (this) return body(Open(what));
  }

  private NativeCall Open(string what) {
    if (native == null)
      throw new ObjectDisposedException(what, "The symbolic that it belongs to has returned.");
    return native;
  }
}

}
