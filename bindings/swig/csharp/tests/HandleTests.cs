using System;
using System.Runtime.CompilerServices;
using System.Threading;

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

  [Case]
  private static void WhatIsForgottenIsFreedOnce() {
    Expect.Equal(0, forgotten);
    Forget(100);
    for (int i = 0; i < 10 && forgotten < 90; ++i) Fixture.Collect();
    Expect.That(forgotten >= 90 && forgotten <= 100, forgotten + " of 100 are freed");
  }

  [Case]
  private static void OtherFinalizersMayUseAHandle() {
    MakeUsers(100);
    for (int i = 0; i < 10 && used < 90; ++i) Fixture.Collect();
    Expect.That(used >= 90, used + " of 100 are finalized");
  }

  private static int forgotten, used;

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Forget(int count) {
    for (int i = 0; i < count; ++i) new Handle<Forgotten>("Thing", new Forgotten());
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void MakeUsers(int count) {
    for (int i = 0; i < count; ++i) new User();
  }

  private sealed class Forgotten : IDisposable {
    public void Dispose() {
      Interlocked.Increment(ref forgotten);
    }
  }

  private sealed class User {
    private readonly TensorData tensor = TensorData.From(Fixture.Tokens(), 2, 4);

    ~User() {
      try {
        Expect.Equal(Dtype.Float32, tensor.Dtype);
      } catch (ObjectDisposedException) {
        // Its finalizer ran first.
      }
      Interlocked.Increment(ref used);
    }
  }

  private sealed class Counted : IDisposable {
    internal int Freed { get; private set; }

    public void Dispose() {
      ++Freed;
    }
  }
}

}
