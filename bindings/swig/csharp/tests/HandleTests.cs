using System;

namespace Tonnx.Tests {

/// Handle.cs is compiled into this program, since it is internal to the binding.
internal static class HandleTests {
  [Case]
  private static void FreesOnce() {
    var native = new Counted();
    var handle = new Handle<Counted>("Thing", native);
    handle.Close();
    handle.Close();
    Expect.Equal(1, native.Freed);
    Expect.Equal("Thing", Expect.Throws<ObjectDisposedException>(() => handle.Use(n => n.Freed)).ObjectName);
  }

  [Case]
  private static void FreesWhenTheLastUseEnds() {
    var native = new Counted();
    var handle = new Handle<Counted>("Thing", native);
    handle.Use(outer => {
      handle.Use(inner => handle.Close());
      Expect.Equal(0, native.Freed);
      Expect.Throws<ObjectDisposedException>(() => handle.Use(n => n.Freed));
    });
    Expect.Equal(1, native.Freed);
  }

  [Case]
  private static void AUseThatThrowsEndsToo() {
    var native = new Counted();
    var handle = new Handle<Counted>("Thing", native);
    Expect.Throws<FormatException>(() => handle.Use(n => { throw new FormatException(); }));
    handle.Close();
    Expect.Equal(1, native.Freed);
  }

  private sealed class Counted : IDisposable {
    internal int Freed { get; private set; }

    public void Dispose() {
      ++Freed;
    }
  }
}

}
