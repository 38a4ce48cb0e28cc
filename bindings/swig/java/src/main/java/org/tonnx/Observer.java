package org.tonnx;

import java.util.Objects;
import java.util.function.Consumer;
import org.tonnx.internal.NativeObserver;

/**
 * Follows calls and cancels them: {@link Options#observer}, {@link TraceOptions#observer},
 * {@link VerifyOptions#observer}, {@link SaveOptions#observer}. There is an event
 * about every 50 ms.
 *
 * <p>A call ends with {@link Status#CANCELLED} within 0.2 s after its thread was interrupted; the thread stays
 * interrupted. An exception of the listener ends it with {@link Status#CALLBACK}, and is the cause.
 */
public final class Observer {
  /** Receives events on the thread of the call. It may call tonnx, but not with the program of that call. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Receives an event.
     *
     * @param event the event
     * @throws Exception to end the call
     */
    void receive(Event event) throws Exception;
  }

  private final Listener listener;
  private Level level = Level.INFO;

  /**
   * Passes events to a listener.
   *
   * @param listener the listener
   */
  public Observer(Listener listener) {
    this.listener = Objects.requireNonNull(listener, "listener");
  }

  /** Only cancels calls whose thread is interrupted. */
  public Observer() {
    this(event -> {});
  }

  /**
   * Sets the lowest level of log messages. Default: {@link Level#INFO}.
   *
   * @param lowest the level
   * @return this
   */
  public Observer level(Level lowest) {
    level = Objects.requireNonNull(lowest, "level");
    return this;
  }

  /** Returns false to cancel the call. */
  boolean receive(Event event) throws Exception {
    if (Thread.currentThread().isInterrupted()) {
      return false;
    }
    listener.receive(event);
    return !Thread.currentThread().isInterrupted();
  }

  /** Passes a native observer, which lives during the call. */
  void lend(Consumer<NativeObserver> call) {
    NativeLibrary.require();
    // Native code releases the number, also on failure.
    NativeObserver peer = new NativeObserver(Callbacks.keep(this), level.code);
    try {
      call.accept(peer);
    } finally {
      peer.delete();
    }
  }
}
