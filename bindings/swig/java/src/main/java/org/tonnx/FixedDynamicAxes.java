package org.tonnx;

// Made from options.json by scripts/options.py.
/** What to do with a dynamic axis that can have one size only. */
public enum FixedDynamicAxes {
  /** Refuse the export or the trace. */
  ERROR(0),
  /** Fix the axis at the example's size, and warn with the axis, the size and the reason. */
  WARN(1);

  final int code;

  FixedDynamicAxes(int code) {
    this.code = code;
  }
}
// Made until here.
