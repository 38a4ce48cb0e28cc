package org.tonnx;

import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.tonnx.internal.NativeCall;
import org.tonnx.internal.NativeChunk;
import org.tonnx.internal.NativeHost;

/** All that native code calls. It knows symbolics, causes and sinks by numbers; nothing thrown here gets past it. */
final class Callbacks extends NativeHost {
  private static final int DONE = 0;
  private static final int DECLINE = 1;
  private static final int FAIL = 2;
  private static final int BUFFER = 1 << 20;

  private static final AtomicLong NEXT = new AtomicLong();
  private static final Map<Long, Symbolic> SYMBOLICS = new ConcurrentHashMap<>();
  private static final Map<Long, Throwable> CAUSES = new ConcurrentHashMap<>();
  private static final Map<Long, Sink> SINKS = new ConcurrentHashMap<>();

  /** Native code holds a weak reference alone. */
  private static Callbacks installed;

  /** Where a model's bytes go, and what was thrown there. */
  static final class Sink {
    final OutputStream stream;
    Throwable thrown;

    Sink(OutputStream stream) {
      this.stream = stream;
    }
  }

  static void install() {
    installed = new Callbacks();
    NativeHost.set(installed);
  }

  /** A number for a symbolic, kept until native code releases it. */
  static long keep(Symbolic symbolic) {
    long number = NEXT.getAndIncrement();
    SYMBOLICS.put(number, symbolic);
    return number;
  }

  static void dropSymbolic(long number) {
    SYMBOLICS.remove(number);
  }

  /** A number for what a symbolic threw, kept until the error that it caused is gone. */
  private static long keep(Throwable thrown) {
    long number = NEXT.getAndIncrement();
    CAUSES.put(number, thrown);
    return number;
  }

  /** What has that number; null for none. */
  static Throwable cause(long number) {
    return CAUSES.get(number);
  }

  static long keep(Sink sink) {
    long number = NEXT.getAndIncrement();
    SINKS.put(number, sink);
    return number;
  }

  static void dropSink(long number) {
    SINKS.remove(number);
  }

  @Override
  public int apply(long number, NativeCall call) {
    try (Scope scope = new Scope(call)) {
      List<Value> results = SYMBOLICS.get(number).apply(new Graph(scope), new Node(scope), scope.inputs());
      if (results == null) {
        return DECLINE;
      }
      call.give(scope.ids(results));
      return DONE;
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      call.failWith(text(e).replace('\0', ' '), keep(e));
      return FAIL;
    }
  }

  /** The caller's own exception may have no text, or throw where it should tell it. */
  private static String text(Throwable thrown) {
    String text = null;
    try {
      text = thrown.getMessage();
      if (text == null || text.isEmpty()) {
        text = thrown.toString();
      }
    } catch (Throwable e) {
      // Its class has to do.
    }
    return text == null || text.isEmpty() ? thrown.getClass().getName() : text;
  }

  @Override
  public void release(long number) {
    SYMBOLICS.remove(number);
    CAUSES.remove(number);
  }

  @Override
  public int receive(long number, NativeChunk chunk) {
    Sink sink = SINKS.get(number);
    try {
      byte[] buffer = new byte[0];
      for (long offset = 0; offset < chunk.size(); offset += buffer.length) {
        int count = (int) Math.min(chunk.size() - offset, BUFFER);
        if (count != buffer.length) {
          buffer = new byte[count];
        }
        chunk.read(offset, buffer);
        sink.stream.write(buffer);
      }
      return 0;
    } catch (Throwable e) {
      sink.thrown = e;
      return 1;
    }
  }
}
