package org.tonnx;

/** Where a saved model's weights go. */
public enum ExternalData {
  /** Beside the model if it would pass 2 GiB. */
  AUTO(0),
  /** Those of 1 KiB and more in one file NAME.onnx.data beside the model. */
  YES(1),
  /** All in one file; refused beyond 2 GiB. */
  NO(2),
  /** No weight is written: the model points into the .pt, which must lie in its folder. */
  ARCHIVE(3),
  /**
   * Each weight in a file of its own, in a folder NAME_initializers beside NAME.onnx, FILE.initializers beside another
   * FILE.
   */
  EACH(4);

  final int code;

  ExternalData(int code) {
    this.code = code;
  }
}
