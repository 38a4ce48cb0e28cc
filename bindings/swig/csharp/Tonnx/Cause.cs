using System;

namespace Tonnx {

/// Carries what a stream of the caller threw around native code: kept here in the callback, picked up where the same
/// thread's call fails. One scope a call, since a stream may write another model.
internal struct Cause : IDisposable {
  [ThreadStatic]
  private static Exception current;

  private readonly Exception outer;

  private Cause(Exception outer) {
    this.outer = outer;
  }

  internal static Exception Current => current;

  internal static Cause Scope() {
    var scope = new Cause(current);
    current = null;
    return scope;
  }

  internal static void Keep(Exception thrown) {
    current = thrown;
  }

  public void Dispose() {
    current = outer;
  }
}

}
