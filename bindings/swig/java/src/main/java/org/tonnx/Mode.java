package org.tonnx;

// Made from options.json by scripts/options.py.
/** How a script's control flow is exported. */
public enum Mode {
  /** As script; as trace if the script cannot be exported and no axis is dynamic. The report says which was used. */
  AUTO(0),
  /** Branches and loops that depend on run-time values are kept as If and Loop. */
  SCRIPT(1),
  /**
   * The script is run and recorded at several sizes and on other values; control flow that depends on them is refused.
   */
  TRACE(2);

  final int code;

  Mode(int code) {
    this.code = code;
  }
}
// Made until here.
