package org.tonnx;

// Made from options.json by scripts/options.py.
/** What becomes of a dynamic axis that has one size only. */
public enum FixedDynamicAxes {
  /** The export or the trace is refused. */
  ERROR(0),
  /** The axis keeps the example's size, and a warning names the axis, the size and the reason. */
  WARN(1);

  final int code;

  FixedDynamicAxes(int code) {
    this.code = code;
  }
}
// Made until here.
