package org.tonnx;

// Made from options.json by scripts/options.py.
/** The form of dropout and batch norm in the model. */
public enum Training {
  /** Inference form. */
  EVAL(0),
  /** The form that the program has. */
  PRESERVE(1),
  /** Training form. */
  TRAIN(2);

  final int code;

  Training(int code) {
    this.code = code;
  }
}
// Made until here.
