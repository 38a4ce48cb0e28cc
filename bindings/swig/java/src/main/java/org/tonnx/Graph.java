package org.tonnx;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The ONNX graph under construction, inside a {@link Symbolic}; valid until that returns, on its thread. */
public final class Graph {
  private final Scope scope;

  Graph(Scope scope) {
    this.scope = scope;
  }

  /**
   * The opset of the default domain that the export targets.
   *
   * @return the opset
   */
  public int opset() {
    return scope.call().opset();
  }

  /**
   * Appends a node with one output and no attributes.
   *
   * @param name an operator of the default domain ("Conv"), or "domain::Op"
   * @param inputs the inputs: null is an omitted optional input, a constant becomes a Constant node
   * @return the output
   */
  public Value op(String name, Value... inputs) {
    return op(name, null, inputs);
  }

  /**
   * Appends a node with one output.
   *
   * @param name an operator of the default domain ("Conv"), or "domain::Op"
   * @param attributes its attributes, or null
   * @param inputs the inputs: null is an omitted optional input, a constant becomes a Constant node
   * @return the output
   */
  public Value op(String name, Attributes attributes, Value... inputs) {
    return op(name, attributes, Arrays.asList(inputs), 1).get(0);
  }

  /**
   * Appends a node.
   *
   * @param name an operator of the default domain ("Conv"), or "domain::Op"
   * @param attributes its attributes, or null
   * @param inputs the inputs: null is an omitted optional input, a constant becomes a Constant node
   * @param outputs number of outputs
   * @return the outputs
   */
  public List<Value> op(String name, Attributes attributes, List<Value> inputs, int outputs) {
    Objects.requireNonNull(name, "name");
    int[] ids = scope.ids(inputs);
    return scope.values(Attributes.with(attributes, peer -> scope.call().op(name, ids, peer, outputs)));
  }

  /**
   * Appends a Constant node.
   *
   * @param tensor its value, which is shared
   * @return the output
   */
  public Value constant(Tensor tensor) {
    Objects.requireNonNull(tensor, "tensor");
    return tensor.handle.read(peer -> scope.value(scope.call().constant(peer)));
  }

  /**
   * Appends a Cast.
   *
   * @param value what to cast
   * @param dtype to which type
   * @return the output, or the value itself if it is known to have this dtype
   */
  public Value cast(Value value, Dtype dtype) {
    Objects.requireNonNull(value, "value");
    return scope.value(scope.call().cast(scope.id(value), dtype.code));
  }
}
