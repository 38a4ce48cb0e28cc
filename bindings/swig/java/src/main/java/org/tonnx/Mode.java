package org.tonnx;

// Made from options.json by scripts/options.py.
/** What becomes of a script's branches and loops. */
public enum Mode {
  /** As script, and as trace where the script cannot be exported and no axis is dynamic. The report tells which. */
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
