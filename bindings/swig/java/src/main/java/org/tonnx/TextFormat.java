package org.tonnx;

/** Text forms of a model. */
public enum TextFormat {
  /** One line per node. */
  SHORT(0),
  /** The protobuf message as text, without the bytes of the weights. */
  FULL(1),
  /** A picture of the graph by module. */
  SVG(2),
  /** A page for a web browser with the same picture; modules open and close. */
  HTML(3);

  final int code;

  TextFormat(int code) {
    this.code = code;
  }
}
