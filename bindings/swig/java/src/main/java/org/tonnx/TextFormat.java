package org.tonnx;

/** How a model is told as text. */
public enum TextFormat {
  /** One line per node. */
  SHORT(0),
  /** The protobuf message as text, without the bytes of the weights. */
  FULL(1);

  final int code;

  TextFormat(int code) {
    this.code = code;
  }
}
