package org.tonnx;

import java.util.List;
import java.util.Objects;
import org.tonnx.internal.NativeCall;

/**
 * What is known of a value for every run of the model, inside a {@link Symbolic}; valid until that returns, on its
 * thread. The {@code as} calls read a constant; they throw a {@link TonnxException} if it is none of that kind.
 */
public final class Value {
  final Scope scope;
  final int id;

  Value(Scope scope, int id) {
    this.scope = scope;
    this.id = id;
  }

  /**
   * The name.
   *
   * @return the name; empty if it has none yet
   */
  public String name() {
    return call().valueName(id);
  }

  /**
   * What it is.
   *
   * @return the kind
   */
  public Kind kind() {
    return Kind.of(call().kind(id));
  }

  /**
   * The element type.
   *
   * @return the type, or {@link Dtype#UNDEFINED} if unknown
   */
  public Dtype dtype() {
    return Dtype.of(call().dtype(id));
  }

  /**
   * True if the rank is known.
   *
   * @return whether it is
   */
  public boolean hasRank() {
    return call().hasRank(id);
  }

  /**
   * The number of dimensions.
   *
   * @return the rank; 0 if unknown
   */
  public int rank() {
    return call().rank(id);
  }

  /**
   * A dimension.
   *
   * @param axis from 0 on
   * @return its size, or -1 if it is dynamic or unknown
   */
  public long dim(int axis) {
    return call().dim(id, axis);
  }

  /**
   * The symbol of a dynamic dimension, {@code "batch"}.
   *
   * @param axis from 0 on
   * @return the symbol, or an empty text
   */
  public String dimSymbol(int axis) {
    return call().dimSymbol(id, axis);
  }

  /**
   * Whether it is None.
   *
   * @return whether it is
   */
  public boolean isNone() {
    return call().isNone(id);
  }

  /**
   * Whether it is an argument or an output of a function of a trace whose tensor required gradients when the code ran.
   *
   * @return whether it is
   */
  public boolean requiresGrad() {
    return call().requiresGrad(id);
  }

  /**
   * Whether its content is known.
   *
   * @return whether it is
   */
  public boolean isConstant() {
    return call().isConstant(id);
  }

  /**
   * A constant int; a bool answers as an int.
   *
   * @return its value
   */
  public long asLong() {
    return call().toInt(id);
  }

  /**
   * A constant float; an int answers as a float.
   *
   * @return its value
   */
  public double asDouble() {
    return call().toFloat(id);
  }

  /**
   * A constant bool.
   *
   * @return its value
   */
  public boolean asBoolean() {
    return call().toBool(id);
  }

  /**
   * A constant string.
   *
   * @return its value
   */
  public String asString() {
    return call().toString(id);
  }

  /**
   * A constant list of ints.
   *
   * @return a new array
   */
  public long[] asLongs() {
    return call().toInts(id);
  }

  /**
   * A constant list of floats.
   *
   * @return a new array
   */
  public double[] asDoubles() {
    return call().toFloats(id);
  }

  /**
   * A constant tensor or a weight.
   *
   * @return a new tensor, which outlives the symbolic
   */
  public Tensor asTensor() {
    return new Tensor(call().toTensor(id));
  }

  /**
   * The items of a list of tensors.
   *
   * @return a new list
   */
  public List<Value> asList() {
    return scope.values(call().toList(id));
  }

  /**
   * Tells later inference the type of a value that ONNX cannot infer (a custom operator's).
   *
   * @param dtype the element type
   * @param dims the dimensions; -1 is an unknown one
   * @return this
   */
  public Value setType(Dtype dtype, long... dims) {
    call().setType(id, dtype.code, dims);
    return this;
  }

  /**
   * Tells later inference that the type is that of another value, such as {@link Node#output}.
   *
   * @param from the other value
   * @return this
   */
  public Value copyType(Value from) {
    Objects.requireNonNull(from, "from");
    call().copyType(id, scope.id(from));
    return this;
  }

  private NativeCall call() {
    return scope.call();
  }
}
