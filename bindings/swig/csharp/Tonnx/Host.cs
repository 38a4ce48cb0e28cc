using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// Receives calls from native code. Delegates, exceptions and streams are numbers there; the table roots them until
/// native code releases them. An exception that leaves one of these methods would end the process.
internal sealed class Host : NativeHost {
  private const int Done = 0;
  private const int Decline = 1;
  private const int Fail = 2;

  // Never freed: native code may call it at any time.
  private static readonly Host Instance = new Host();
  private static readonly Dictionary<long, object> Held = new Dictionary<long, object>();
  private static long last;

  internal static void Install() {
    GC.SuppressFinalize(Instance);
    set(Instance);
  }

  internal static void Uninstall() {
    set(null);
  }

  /// Roots the object until Release.
  internal static long Hold(object callee) {
    lock (Held) {
      Held.Add(++last, callee);
      return last;
    }
  }

  internal static void Release(long number) {
    lock (Held) Held.Remove(number);
  }

  public override int apply(long symbolic, NativeCall native) {
    Call call = null;
    try {
      call = new Call(native);
      var inputs = new Value[native.input_count()];
      for (int i = 0; i < inputs.Length; ++i) inputs[i] = new Value(call, i);
      IReadOnlyList<Value> results = Find<Symbolic>(symbolic)(new Graph(call, 0), new Node(call, 0), inputs);
      if (results == null)
        return Decline;
      native.complete(call.Numbers(results));
      return Done;
    } catch (Exception e) {
      return Refuse(native.fail_with, e);
    } finally {
      call?.End();
    }
  }

  public override int resize(long maker, NativeResize native) {
    try {
      var sizes = native.symbols().ToDictionary(symbol => symbol, symbol => native.size(symbol));
      using (Args made = Find<Func<IReadOnlyDictionary<string, long>, Args>>(maker)(sizes)) {
        Require.NotNull(made, "what makes inputs of other sizes");
        made.Handle.Use(native.complete);
      }
      return Done;
    } catch (Exception e) {
      return Refuse(native.fail_with, e);
    }
  }

  public override int observe(long observer, NativeEvent native) {
    try {
      return Find<Observer>(observer).Receive(new Event(native)) ? Done : Fail;
    } catch (Exception e) {
      return Refuse(native.fail_with, e);
    }
  }

  public override void release(long number) {
    try {
      Release(number);
    } catch (Exception) {
      // Only if out of memory; the entry then stays.
    }
  }

  public override int receive(long sink, NativeChunk chunk) {
    try {
      Find<Sink>(sink).Write(chunk);
      return Done;
    } catch (Exception e) {
      return Refuse(chunk.fail_with, e);
    }
  }

  /// Reports an exception, which is held until its error is freed.
  internal static int Refuse(Action<string, long> failWith, Exception thrown) {
    try {
      Stay(thrown);
      long cause = Hold(thrown);
      try {
        failWith(Text(thrown), cause);
      } catch {
        Release(cause);
        throw;
      }
    } catch (Exception) {
      // It fails anyway, without a message.
    }
    return Fail;
  }

  /// The caller's own exception may have no message, or throw when it is read.
  private static string Text(Exception thrown) {
    string text = null;
    try {
      text = thrown.Message;
    } catch (Exception e) {
      Stay(e);
    }
    return string.IsNullOrEmpty(text) ? thrown.GetType().FullName : text.Replace("\0", "\\0");
  }

  /// Otherwise an abort would be rethrown at the end of the catch. The current call fails with it.
  private static void Stay(Exception thrown) {
    if (thrown is ThreadAbortException)
      Thread.ResetAbort();
  }

  internal static T Find<T>(long number) {
    lock (Held) return (T)Held[number];
  }
}

/// Writes a model's bytes to a stream.
internal sealed class Sink {
  private readonly Stream stream;
  private readonly byte[] buffer = new byte[1 << 16];

  internal Sink(Stream stream) {
    this.stream = stream;
  }

  internal void Write(NativeChunk chunk) {
    long size = chunk.size();
    for (long at = 0; at < size;) {
      int count = (int)Math.Min(size - at, buffer.Length);
      using (var pinned = new Pinned(buffer)) chunk.read(at, pinned.Address, count);
      stream.Write(buffer, 0, count);
      at += count;
    }
  }
}

}
