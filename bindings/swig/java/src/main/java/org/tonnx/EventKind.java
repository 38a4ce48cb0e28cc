package org.tonnx;

/** The kind of an {@link Event}. */
public enum EventKind {
  /** A decision: which lowering was used, why a loop stayed, what was folded. */
  LOG(0),
  /** A warning, when it is found, also if the call fails later. */
  WARNING(1),
  /** How far a stage is. */
  PROGRESS(2);

  private final int code;

  EventKind(int code) {
    this.code = code;
  }

  static EventKind of(int code) {
    for (EventKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return LOG;
  }
}
