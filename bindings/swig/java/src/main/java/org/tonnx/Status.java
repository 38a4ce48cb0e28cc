package org.tonnx;

/** What kind of failure it was. Each value asks the caller for another reaction. */
public enum Status {
  /** The program cannot be exported; the exception lists every reason. */
  UNSUPPORTED(1),
  /** Wrong use: an unknown name, a wrong count, dtype or shape. */
  ARGUMENT(2),
  /** The model disagrees with LibTorch. */
  VERIFICATION(3),
  /** An input or output file, or a library: missing, damaged, foreign, not writable, disk full. */
  FILE(4),
  /** The caller's own callback failed; the exception's cause is what it threw. */
  CALLBACK(5),
  /** The ONNX checker rejected the model. */
  CHECKER(6),
  /** The program itself fails when run on the example inputs. */
  PROGRAM(7),
  /** Out of memory. */
  MEMORY(8),
  /** A bug in tonnx. */
  INTERNAL(9),
  /** The export warns, and warnings are errors; the exception lists every warning. */
  WARNING(10),
  /** The thread of an observed call was interrupted. */
  CANCELLED(11);

  private final int code;

  Status(int code) {
    this.code = code;
  }

  static Status of(int code) {
    for (Status status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    return INTERNAL;
  }
}
