package org.tonnx;

// Made from options.json by scripts/options.py.
/** Form in which dropout and batch norm are exported. */
public enum Training {
  /** As in inference. */
  EVAL(0),
  /** As the program says. */
  PRESERVE(1),
  /** As in training. */
  TRAIN(2);

  final int code;

  Training(int code) {
    this.code = code;
  }
}
// Made until here.
