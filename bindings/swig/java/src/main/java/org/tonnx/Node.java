package org.tonnx;

import java.util.Objects;

/** The source operator, inside a {@link Symbolic}; valid until that returns, on its thread. */
public final class Node {
  private final Scope scope;

  Node(Scope scope) {
    this.scope = scope;
  }

  /**
   * The operator.
   *
   * @return its name, {@code "aten::add"}
   */
  public String operator() {
    return scope.call().nodeName();
  }

  /**
   * The overload, {@code "Tensor"}.
   *
   * @return its name; may be empty
   */
  public String overload() {
    return scope.call().nodeOverload();
  }

  /**
   * The module path, {@code "layer1.0"}.
   *
   * @return the path; may be empty
   */
  public String module() {
    return scope.call().nodeModule();
  }

  /**
   * The source line, {@code "model.py:12"}.
   *
   * @return the line; may be empty
   */
  public String source() {
    return scope.call().nodeSource();
  }

  /**
   * The position of the schema's argument of this name.
   *
   * @param name the argument
   * @return its index among the inputs, or -1
   */
  public int argument(String name) {
    Objects.requireNonNull(name, "name");
    return scope.call().nodeArgument(name);
  }

  /**
   * Number of outputs.
   *
   * @return the count
   */
  public int outputCount() {
    return scope.call().nodeOutputCount();
  }

  /**
   * An output as LibTorch computes it: a value with dtype and shape to read.
   *
   * @param index the output
   * @return a value; it cannot be an input of a node
   */
  public Value output(int index) {
    return scope.value(scope.call().nodeOutput(index));
  }
}
