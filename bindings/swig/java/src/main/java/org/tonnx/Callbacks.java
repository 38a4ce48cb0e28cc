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
import org.tonnx.internal.NativeEvent;
import org.tonnx.internal.NativeHost;
import org.tonnx.internal.NativeResize;

/**
 * Receives all calls from native code, which identifies callbacks and causes by numbers. No exception leaves its
 * methods.
 */
final class Callbacks extends NativeHost {
  private static final int DONE = 0;
  private static final int DECLINE = 1;
  private static final int FAIL = 2;
  private static final int BUFFER = 1 << 20;

  private static final AtomicLong NEXT = new AtomicLong();
  private static final Map<Long, Symbolic> SYMBOLICS = new ConcurrentHashMap<>();
  private static final Map<Long, Resize> RESIZES = new ConcurrentHashMap<>();
  private static final Map<Long, Observer> OBSERVERS = new ConcurrentHashMap<>();
  private static final Map<Long, Throwable> CAUSES = new ConcurrentHashMap<>();
  private static final Map<Long, OutputStream> SINKS = new ConcurrentHashMap<>();

  /** Native code only has a weak reference. */
  private static Callbacks installed;

  static void install() {
    installed = new Callbacks();
    NativeHost.set(installed);
  }

  /** Assigns a number to a symbolic, which is kept until native code releases it. */
  static long keep(Symbolic symbolic) {
    long number = NEXT.getAndIncrement();
    SYMBOLICS.put(number, symbolic);
    return number;
  }

  /** Same, for a resize callback. */
  static long keep(Resize resize) {
    long number = NEXT.getAndIncrement();
    RESIZES.put(number, resize);
    return number;
  }

  /** Same, for an observer. */
  static long keep(Observer observer) {
    long number = NEXT.getAndIncrement();
    OBSERVERS.put(number, observer);
    return number;
  }

  static void dropSymbolic(long number) {
    SYMBOLICS.remove(number);
  }

  /** Assigns a number to an exception of a symbolic, which is kept until its error is freed. */
  private static long keep(Throwable thrown) {
    long number = NEXT.getAndIncrement();
    CAUSES.put(number, thrown);
    return number;
  }

  /** The exception with that number; null if there is none. */
  static Throwable cause(long number) {
    return CAUSES.get(number);
  }

  static long keep(OutputStream sink) {
    long number = NEXT.getAndIncrement();
    SINKS.put(number, sink);
    return number;
  }

  static void dropSink(long number) {
    SINKS.remove(number);
  }

  @Override
  public int apply(long number, NativeCall call) {
    try (SymbolicScope scope = new SymbolicScope(call)) {
      List<Value> results = SYMBOLICS.get(number).apply(new Graph(scope, 0), new Node(scope, 0), scope.inputs());
      if (results == null) {
        return DECLINE;
      }
      call.complete(scope.ids(results));
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
        made.handle.run(call::complete);
      }
      return DONE;
    } catch (Throwable e) {
      return refuse(call::failWith, e);
    }
  }

  @Override
  public int observe(long number, NativeEvent event) {
    try {
      return OBSERVERS.get(number).receive(new Event(event)) ? DONE : FAIL;
    } catch (Throwable e) {
      return refuse(event::failWith, e);
    }
  }

  /** Reports an exception, which is kept until its error is freed. */
  static int refuse(BiConsumer<String, Long> failWith, Throwable thrown) {
    if (thrown instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return report(failWith, thrown);
  }

  private static int report(BiConsumer<String, Long> failWith, Throwable thrown) {
    failWith.accept(text(thrown).replace('\0', ' '), keep(thrown));
    return FAIL;
  }

  /** The caller's own exception may have no message, or throw when it is read. */
  private static String text(Throwable thrown) {
    String text = null;
    try {
      text = thrown.getMessage();
      if (text == null || text.isEmpty()) {
        text = thrown.toString();
      }
    } catch (Throwable e) {
      // Uses its class name only.
    }
    return text == null || text.isEmpty() ? thrown.getClass().getName() : text;
  }

  @Override
  public void release(long number) {
    SYMBOLICS.remove(number);
    RESIZES.remove(number);
    OBSERVERS.remove(number);
    CAUSES.remove(number);
  }

  @Override
  public int receive(long number, NativeChunk chunk) {
    OutputStream sink = SINKS.get(number);
    try {
      byte[] buffer = new byte[0];
      for (long offset = 0; offset < chunk.size(); offset += buffer.length) {
        int count = (int) Math.min(chunk.size() - offset, BUFFER);
        if (count != buffer.length) {
          buffer = new byte[count];
        }
        chunk.read(offset, buffer);
        sink.write(buffer);
      }
      return 0;
    } catch (Throwable e) {
      return report(chunk::failWith, e);
    }
  }
}
