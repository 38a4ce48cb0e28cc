package org.tonnx;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.tonnx.internal.NativeReader;

/**
 * The source operator, inside a {@link Symbolic}, valid until that returns, on its thread; or a node of
 * {@link Contents}. Objects of the same node are equal.
 */
public final class Node {
  private final Scope scope;
  private final int id;

  Node(Scope scope, int id) {
    this.scope = scope;
    this.id = id;
  }

  /**
   * The operator.
   *
   * @return its name, {@code "aten::add"}; of a model {@code "Add"}
   */
  public String operator() {
    return read(peer -> peer.operatorName(id));
  }

  /**
   * The overload, {@code "Tensor"}.
   *
   * @return its name; may be empty
   */
  public String overload() {
    return read(peer -> peer.nodeOverload(id));
  }

  /**
   * The name of a node of a model.
   *
   * @return the name; may be empty
   */
  public String name() {
    return read(peer -> peer.nodeName(id));
  }

  /**
   * The module path, {@code "layer1.0"}.
   *
   * @return the path; may be empty
   */
  public String module() {
    return read(peer -> peer.nodeModule(id));
  }

  /**
   * The source line, {@code "model.py:12"}.
   *
   * @return the line; may be empty
   */
  public String source() {
    return read(peer -> peer.nodeSource(id));
  }

  /**
   * The position of the schema's argument of this name.
   *
   * @param name the argument
   * @return its index among the inputs, or -1
   */
  public int argumentIndex(String name) {
    Objects.requireNonNull(name, "name");
    return read(peer -> peer.nodeArgumentIndex(id, name));
  }

  /**
   * Number of outputs.
   *
   * @return the count
   */
  public int outputCount() {
    return read(peer -> peer.nodeOutputCount(id));
  }

  /**
   * An output; in a symbolic as LibTorch computes it: a value with dtype and shape to read.
   *
   * @param index the output
   * @return a value; it cannot be an input of a node
   */
  public Value output(int index) {
    return read(peer -> scope.value(peer.nodeOutput(id, index)));
  }

  /**
   * The outputs.
   *
   * @return a new list
   */
  public List<Value> outputs() {
    return read(peer -> scope.values(peer.nodeOutputs(id)));
  }

  /**
   * The inputs.
   *
   * @return a new list; null is an omitted input
   */
  public List<Value> inputs() {
    return read(peer -> scope.values(peer.nodeInputs(id)));
  }

  /**
   * The inputs with tensors and lists of tensors before all others, as in old symbolics of PyTorch.
   *
   * @return indices of the inputs, a new array
   */
  public int[] tensorsFirst() {
    return read(peer -> peer.tensorsFirst(id));
  }

  /**
   * The attributes, without graphs: values with name, kind and content.
   *
   * @return sorted by name, a new list
   */
  public List<Value> attributes() {
    return read(peer -> scope.values(peer.nodeAttributes(id)));
  }

  /**
   * An attribute.
   *
   * @param name the attribute
   * @return its value, or null if the node has none of this name
   */
  public Value attribute(String name) {
    Objects.requireNonNull(name, "name");
    return read(peer -> scope.value(peer.nodeAttribute(id, name)));
  }

  /**
   * The blocks of a node of contents: the branches of an If, the body of a Loop or Scan.
   *
   * @return a new list
   */
  public List<Graph> graphs() {
    return read(peer -> scope.graphs(peer.nodeGraphs(id)));
  }

  /**
   * The graph that contains a node of contents.
   *
   * @return the graph; null in a symbolic
   */
  public Graph parent() {
    return read(peer -> scope.graph(peer.nodeParent(id)));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Node && ((Node) other).scope == scope && ((Node) other).id == id;
  }

  @Override
  public int hashCode() {
    return id;
  }

  private <R> R read(Function<NativeReader, R> body) {
    return scope.read(body);
  }
}
