package org.tonnx;

import org.tonnx.internal.NativeEvent;

/** What an {@link Observer} receives. Immutable. */
public final class Event {
  private final EventKind kind;
  private final Level level;
  private final Category category;
  private final String stage;
  private final long done;
  private final long total;
  private final boolean isBytes;
  private final String text;
  private final String module;
  private final String source;

  Event(NativeEvent event) {
    kind = EventKind.of(event.kind());
    level = Level.of(event.level());
    category = Category.of(event.category());
    stage = event.stage();
    done = event.done();
    total = event.total();
    isBytes = event.isBytes();
    text = event.text();
    module = event.modulePath();
    source = event.source();
  }

  /**
   * Log, warning or progress.
   *
   * @return the kind
   */
  public EventKind kind() {
    return kind;
  }

  /**
   * The level of a log message.
   *
   * @return the level
   */
  public Level level() {
    return level;
  }

  /**
   * What a warning is about.
   *
   * @return the category; {@link Category#NONE} for other events
   */
  public Category category() {
    return category;
  }

  /**
   * The stage of the call: {@code "import"}, {@code "lowering"}, {@code "writing"}, ...
   *
   * @return its name
   */
  public String stage() {
    return stage;
  }

  /**
   * Steps of the stage that are done, or bytes.
   *
   * @return their number
   */
  public long done() {
    return done;
  }

  /**
   * How many steps or bytes the stage has.
   *
   * @return their number; 0 if unknown
   */
  public long total() {
    return total;
  }

  /**
   * True if the steps are bytes of a file.
   *
   * @return whether they are
   */
  public boolean isBytes() {
    return isBytes;
  }

  /**
   * The message of a log or a warning.
   *
   * @return the message; empty for progress
   */
  public String text() {
    return text;
  }

  /**
   * The module path of the operator that it is about, {@code "layer1.0.conv1"}.
   *
   * @return the path; empty if unknown
   */
  public String module() {
    return module;
  }

  /**
   * The source line of the operator that it is about, {@code "model.py:12"}.
   *
   * @return the line; empty if unknown
   */
  public String source() {
    return source;
  }

  @Override
  public String toString() {
    return stage + " " + done + (total > 0 ? " of " + total : "") + (text.isEmpty() ? "" : ": " + text);
  }
}
