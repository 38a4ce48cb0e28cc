package org.tonnx;

/** An export that runs on this thread: keeps what its symbolics throw, so that the export's exception can tell it. */
final class Session implements AutoCloseable {
  private static final ThreadLocal<Session> CURRENT = new ThreadLocal<>();

  private final Session outer = CURRENT.get();
  private Throwable thrown;

  Session() {
    CURRENT.set(this);
  }

  static void keep(Throwable thrown) {
    Session session = CURRENT.get();
    if (session == null) {
      return;
    }
    if (session.thrown == null) {
      session.thrown = thrown;
    } else if (session.thrown != thrown) {
      session.thrown.addSuppressed(thrown);
    }
  }

  /** The exception to throw: `failure`, caused by the first thing that a symbolic threw. */
  TonnxException caused(TonnxException failure) {
    if (thrown != null) {
      failure.initCause(thrown);
    }
    return failure;
  }

  @Override
  public void close() {
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
  }
}
