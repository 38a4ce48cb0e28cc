package org.tonnx;

// Made from options.json by scripts/options.py.
/** Whether initializers are also graph inputs. */
public enum InitializersAsInputs {
  /** Only below opset 9, where ONNX requires it, and if operator_export_type is not onnx. */
  AUTO(0),
  /** At every opset. */
  ALWAYS(1),
  /** Never, where the opset allows that (9 on). */
  NEVER(2);

  final int code;

  InitializersAsInputs(int code) {
    this.code = code;
  }
}
// Made until here.
