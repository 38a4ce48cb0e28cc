package org.tonnx;

import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.tonnx.internal.NativeCall;
import org.tonnx.internal.NativeChunk;
import org.tonnx.internal.NativeHost;
import org.tonnx.internal.NativeResize;

/** All that native code calls. It knows what it calls and causes by numbers; nothing thrown here gets past it. */
final class Callbacks extends NativeHost {
  private static final int DONE = 0;
  private static final int DECLINE = 1;
  private static final int FAIL = 2;
  private static final int BUFFER = 1 << 20;

  private static final AtomicLong NEXT = new AtomicLong();
  private static final Map<Long, Symbolic> SYMBOLICS = new ConcurrentHashMap<>();
  private static final Map<Long, Resize> RESIZES = new ConcurrentHashMap<>();
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

  /** The same for what makes inputs. */
  static long keep(Resize resize) {
    long number = NEXT.getAndIncrement();
    RESIZES.put(number, resize);
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
      return refuse(call::failWith, e);
    }
  }

  @Override
  public int resize(long number, NativeResize call) {
    try {
      Map<String, Long> sizes = new LinkedHashMap<>();
      for (String symbol : Text.list(call.symbols())) {
        sizes.put(symbol, call.size(symbol));
      }
      try (Args made = Objects.requireNonNull(RESIZES.get(number).args(sizes), "args")) {
        made.handle.run(call::give);
      }
      return DONE;
    } catch (Throwable e) {
      return refuse(call::failWith, e);
    }
  }

  private static int refuse(BiConsumer<String, Long> failWith, Throwable thrown) {
    if (thrown instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    failWith.accept(text(thrown).replace('\0', ' '), keep(thrown));
    return FAIL;
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
    RESIZES.remove(number);
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
