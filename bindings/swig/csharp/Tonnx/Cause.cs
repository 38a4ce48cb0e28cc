using System;

namespace Tonnx {

/// Carries what a delegate of the caller threw around native code: kept here in the callback, picked up where the same
/// thread's call fails. One scope a call, since a callback may export too.
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

  /// The first of a call wins: it is the first reason.
  internal static void Keep(Exception thrown) {
    if (current == null) current = thrown;
  }

  public void Dispose() {
    current = outer;
  }
}

}
