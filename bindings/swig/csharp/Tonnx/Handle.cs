using System;

namespace Tonnx {

/// Owns a native object. Reads may overlap; a change needs exclusive access, or is refused. If it is closed
/// during a call, it is freed when that call ends; closing twice is allowed. The
/// finalizer frees a handle that was not closed; other finalizers then see a closed handle.
internal sealed class Handle<T>
    where T : class, IDisposable {
  private readonly string owner;
  private T native;
  private int uses;
  private bool changing;
  private bool closed;

  internal Handle(string owner, T native) {
    this.owner = owner;
    this.native = native;
    GC.SuppressFinalize(native);
  }

  ~Handle() {
    Close();
  }

  internal void Use(Action<T> body) {
    T held = Acquire();
    try {
      body(held);
    } finally {
      Release();
    }
  }

  internal R Use<R>(Func<T, R> body) {
    T held = Acquire();
    try {
      return body(held);
    } finally {
      Release();
    }
  }

  internal void Change(Action<T> body) {
    T held = Acquire(true);
    try {
      body(held);
    } finally {
      Release();
    }
  }

  internal void Close() {
    lock (this) {
      closed = true;
      if (uses == 0)
        Free();
    }
  }

  private T Acquire(bool change = false) {
    lock (this) {
      if (closed)
        throw new ObjectDisposedException(owner);
      if (changing || (change && uses > 0))
        throw new InvalidOperationException("this " + owner + " is in use by another call, so it cannot be changed");
      ++uses;
      changing = change;
      return native;
    }
  }

  private void Release() {
    lock (this) {
      changing = false;
      if (--uses == 0 && closed)
        Free();
    }
  }

  private void Free() {
    native?.Dispose();
    native = null;
    GC.SuppressFinalize(this);
  }
}

}
