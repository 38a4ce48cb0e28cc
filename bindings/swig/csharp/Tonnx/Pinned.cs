using System;
using System.Runtime.InteropServices;

namespace Tonnx {

/// An array that is pinned while native code reads or writes it.
internal sealed class Pinned : IDisposable {
  private GCHandle handle;

  internal Pinned(Array array) {
    handle = GCHandle.Alloc(array, GCHandleType.Pinned);
  }

  internal IntPtr Address => handle.AddrOfPinnedObject();

  public void Dispose() {
    handle.Free();
  }
}

}
