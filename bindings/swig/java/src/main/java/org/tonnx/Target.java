package org.tonnx;

// Made from options.json by scripts/options.py.
/** The runtime that a model is made for. */
public enum Target {
  /** ONNX Runtime 1.31 on CPUs. Operators that it lacks or computes wrongly are replaced by others that it runs. */
  ONNXRUNTIME(0),
  /**
   * Any runtime that implements the ONNX standard. Operators are not replaced, so the model is smaller and keeps
   * narrow dtypes, but ONNX Runtime may refuse it or compute other results.
   */
  ONNX(1);

  final int code;

  Target(int code) {
    this.code = code;
  }
}
// Made until here.
