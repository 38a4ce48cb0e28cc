package org.tonnx;

// Made from options.json by scripts/options.py.
/** What becomes of a script's branches and loops. */
public enum Mode {
  /** They stay where a run decides them; a program without any is exported as it stands. The report tells which. */
  AUTO(0),
  /** They stay where a run decides them. */
  SCRIPT(1),
  /** The script is run and recorded, at several sizes and on other values; what they decide is refused. */
  TRACE(2);

  final int code;

  Mode(int code) {
    this.code = code;
  }
}
// Made until here.
