package org.tonnx;

/** What a warning is about. */
public enum Category {
  /** The event is not a warning. */
  NONE(0),
  /** Anything else. */
  OTHER(1),
  /** A construct of the program was changed or dropped. */
  PROGRAM(2),
  /** The program writes to memory that outlives the call. */
  STATE(3),
  /** Modules are not in the mode of the export. */
  TRAINING(4),
  /** An axis is fixed, or the model is wrong at some sizes. */
  SIZES(5),
  /** What a recording does not contain. */
  TRACE(6),
  /** An option has no effect, or another one. */
  OPTIONS(7),
  /** A symbolic returned an incomplete result. */
  SYMBOLIC(8),
  /** ONNX Runtime has no kernel for an operator of the model. */
  KERNEL(9),
  /** What could not be verified. */
  VERIFICATION(10);

  private final int code;

  Category(int code) {
    this.code = code;
  }

  static Category of(int code) {
    for (Category category : values()) {
      if (category.code == code) {
        return category;
      }
    }
    return OTHER;
  }
}
