package org.tonnx;

/** Where the weights of a saved model are stored. */
public enum ExternalData {
  /** Beside the model if the model would exceed 2 GiB. */
  AUTO(0),
  /** Weights of 1 KiB or more in one file NAME.onnx.data beside the model. */
  YES(1),
  /** All in one file; refused above 2 GiB. */
  NO(2),
  /** No weights are written: the model refers to the .pt file, which must be in the same folder. */
  ARCHIVE(3),
  /**
   * One file per weight, in a folder NAME_initializers
   * beside NAME.onnx, or FILE.initializers beside another FILE.
   */
  EACH(4);

  final int code;

  ExternalData(int code) {
    this.code = code;
  }
}
