using System;

namespace Tonnx {

/// Owns a native object. Reads may overlap; a change is alone or refused. Closing it while a call uses it frees it when
/// that call ends; closing twice is fine. A handle that is never closed is freed by its finalizer, after which other
/// finalizers meet a closed handle.
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
        throw new InvalidOperationException("this " + owner +
                                            " is in use by another call, and changing it must be alone");
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
