package org.tonnx;

// Made from options.json by scripts/options.py.
/** What becomes of an operator in the model. */
public enum OperatorExportType {
  /** Operators of ONNX, or those that a symbolic returns. An operator without a conversion is an error. */
  ONNX(0),
  /**
   * An operator without a conversion stays: a node of its own name in a domain named after its namespace. Tensors, and
   * values known only at run time, are its inputs; constants are attributes with the names of the schema.
   */
  FALLTHROUGH(1),
  /**
   * Every operator of aten that returns tensors is a node ATen of the domain org.pytorch.aten, with its name in the
   * attributes 'operator' and 'overload_name' and all arguments as inputs; numbers are constants.
   */
  ATEN(2),
  /** The same only for operators of aten without a conversion. */
  ATEN_FALLBACK(3);

  final int code;

  OperatorExportType(int code) {
    this.code = code;
  }
}
// Made until here.
