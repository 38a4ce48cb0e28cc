package org.tonnx;

/** What a value is. */
public enum Kind {
  /** None, or no value. */
  NONE(0),
  /** A tensor. */
  TENSOR(1),
  /** An integer. */
  INT(2),
  /** A float. */
  FLOAT(3),
  /** A boolean. */
  BOOL(4),
  /** A string. */
  STRING(5),
  /** A list of numbers, strings or other values. */
  LIST(6),
  /** A list of tensors: in a model a sequence. */
  TENSOR_LIST(7),
  /** A dict, tuple, object, device, complex number, or a value of unknown type. */
  OTHER(8),
  /** An attribute that is the type of a tensor or a sequence, with dtype and dims. */
  TYPE(9);

  private final int code;

  Kind(int code) {
    this.code = code;
  }

  static Kind of(int code) {
    for (Kind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return OTHER;
  }
}
