package org.tonnx;

/** The level of a log message. */
public enum Level {
  /** Each operator. */
  DEBUG(0),
  /** Each larger step. */
  INFO(1),
  /** Warnings. */
  WARNING(2);

  final int code;

  Level(int code) {
    this.code = code;
  }

  static Level of(int code) {
    for (Level level : values()) {
      if (level.code == code) {
        return level;
      }
    }
    return INFO;
  }
}
