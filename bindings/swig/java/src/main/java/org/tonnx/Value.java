package org.tonnx;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.tonnx.internal.NativeReader;

/**
 * What is known of a value for every run of the model, inside a {@link Symbolic}, valid until that returns, on its
 * thread; or a value of {@link Contents}, or of an attribute, which can only be read. The {@code as} calls read a
 * constant; they throw a {@link TonnxException} if it is none of that kind. Objects of the same value of contents are
 * equal.
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
    return read(peer -> peer.valueName(id));
  }

  /**
   * What it is.
   *
   * @return the kind
   */
  public Kind kind() {
    return Kind.of(read(peer -> peer.kind(id)));
  }

  /**
   * The type as in a schema, {@code "Tensor"} or {@code "int[]"}.
   *
   * @return its text; may be empty
   */
  public String type() {
    return read(peer -> peer.valueType(id));
  }

  /**
   * The element type.
   *
   * @return the type, or {@link Dtype#UNDEFINED} if unknown
   */
  public Dtype dtype() {
    return Dtype.of(read(peer -> peer.dtype(id)));
  }

  /**
   * True if the rank is known.
   *
   * @return whether it is
   */
  public boolean hasRank() {
    return read(peer -> peer.hasRank(id));
  }

  /**
   * The number of dimensions.
   *
   * @return the rank; 0 if unknown
   */
  public int rank() {
    return read(peer -> peer.rank(id));
  }

  /**
   * A dimension.
   *
   * @param axis from 0 on
   * @return its size, or -1 if it is dynamic or unknown
   */
  public long dim(int axis) {
    return read(peer -> peer.dim(id, axis));
  }

  /**
   * The symbol of a dynamic dimension, {@code "batch"}.
   *
   * @param axis from 0 on
   * @return the symbol, or an empty text
   */
  public String dimSymbol(int axis) {
    return read(peer -> peer.dimSymbol(id, axis));
  }

  /**
   * Whether it is None.
   *
   * @return whether it is
   */
  public boolean isNone() {
    return read(peer -> peer.isNone(id));
  }

  /**
   * Whether it is an argument or an output of a function of a trace whose tensor required gradients when the code ran.
   *
   * @return whether it is
   */
  public boolean requiresGrad() {
    return read(peer -> peer.requiresGrad(id));
  }

  /**
   * Whether its content is known.
   *
   * @return whether it is
   */
  public boolean isConstant() {
    return read(peer -> peer.isConstant(id));
  }

  /**
   * A constant int; a bool answers as an int.
   *
   * @return its value
   */
  public long asLong() {
    return read(peer -> peer.toInt(id));
  }

  /**
   * A constant float; an int answers as a float.
   *
   * @return its value
   */
  public double asDouble() {
    return read(peer -> peer.toFloat(id));
  }

  /**
   * A constant bool.
   *
   * @return its value
   */
  public boolean asBoolean() {
    return read(peer -> peer.toBool(id));
  }

  /**
   * A constant string.
   *
   * @return its value
   */
  public String asString() {
    return read(peer -> peer.toString(id));
  }

  /**
   * A constant list of ints.
   *
   * @return a new array
   */
  public long[] asLongs() {
    return read(peer -> peer.toInts(id));
  }

  /**
   * A constant list of floats.
   *
   * @return a new array
   */
  public double[] asDoubles() {
    return read(peer -> peer.toFloats(id));
  }

  /**
   * A constant list of strings.
   *
   * @return a new list
   */
  public List<String> asStrings() {
    return Text.list(read(peer -> peer.toStrings(id)));
  }

  /**
   * A constant tensor or a weight.
   *
   * @return a new tensor, which outlives the symbolic
   */
  public Tensor asTensor() {
    return new Tensor(read(peer -> peer.toTensor(id)));
  }

  /**
   * The items of a list of tensors.
   *
   * @return a new list
   */
  public List<Value> asList() {
    return read(peer -> scope.values(peer.toList(id)));
  }

  /**
   * The node that computes a value of contents.
   *
   * @return the node; null for inputs and weights, and in a symbolic
   */
  public Node producer() {
    return read(peer -> scope.node(peer.valueProducer(id)));
  }

  /**
   * The uses of a value of contents, also those in blocks.
   *
   * @return a new list; empty in a symbolic
   */
  public List<Use> uses() {
    return read(peer -> {
      List<Use> uses = new ArrayList<>();
      int[] indices = peer.valueUseIndices(id);
      for (Node user : scope.nodes(peer.valueUsers(id))) {
        uses.add(new Use(user, indices[uses.size()]));
      }
      return uses;
    });
  }

  /**
   * Sets the type of a value that ONNX cannot infer (the result of a custom operator), for later inference.
   *
   * @param dtype the element type
   * @param dims the dimensions; -1 is an unknown one
   * @return this
   */
  public Value setType(Dtype dtype, long... dims) {
    scope.call().setType(id, dtype.code, dims);
    return this;
  }

  /**
   * Copies the type of another value, such as {@link Node#output}, for later inference.
   *
   * @param from the other value
   * @return this
   */
  public Value copyType(Value from) {
    Objects.requireNonNull(from, "from");
    scope.call().copyType(id, scope.id(from));
    return this;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Value && ((Value) other).scope == scope && ((Value) other).id == id;
  }

  @Override
  public int hashCode() {
    return id;
  }

  private <R> R read(Function<NativeReader, R> body) {
    return scope.read(body);
  }
}
