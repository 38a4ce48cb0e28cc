package org.tonnx;

// Made from options.json by scripts/options.py.
/** Whether initializers are listed among the graph's inputs. */
public enum InitializersAsInputs {
  /** Below opset 9 only. */
  AUTO(0),
  /** At every opset. */
  ALWAYS(1),
  /** At no opset that allows it. */
  NEVER(2);

  final int code;

  InitializersAsInputs(int code) {
    this.code = code;
  }
}
// Made until here.
