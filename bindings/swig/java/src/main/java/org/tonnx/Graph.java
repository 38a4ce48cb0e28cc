package org.tonnx;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The ONNX graph under construction, inside a {@link Symbolic}, valid until that returns, on its thread; or a graph or
 * block of {@link Contents}, which can only be read. Objects of the same graph are equal.
 */
public final class Graph {
  final Scope scope;
  final int number;

  Graph(Scope scope, int number) {
    this.scope = scope;
    this.number = number;
  }

  /**
   * The name of a graph of contents; for a block that of the attribute, such as "then_branch".
   *
   * @return the name; may be empty
   */
  public String name() {
    return scope.read(peer -> peer.graphName(number));
  }

  /**
   * The node of a block of contents, such as an If or an operator of another domain.
   *
   * @return the node; null for the outermost graph
   */
  public Node owner() {
    return scope.read(peer -> scope.node(peer.graphOwner(number)));
  }

  /**
   * The nodes of a graph of contents in the order in which they run, without those of blocks.
   *
   * @return a new list
   */
  public List<Node> nodes() {
    return scope.read(peer -> scope.nodes(peer.graphNodes(number)));
  }

  /**
   * The inputs of a graph of contents; weights are not among them.
   *
   * @return a new list
   */
  public List<Value> inputs() {
    return scope.read(peer -> scope.values(peer.graphInputs(number)));
  }

  /**
   * The outputs of a graph of contents.
   *
   * @return a new list
   */
  public List<Value> outputs() {
    return scope.read(peer -> scope.values(peer.graphOutputs(number)));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Graph && ((Graph) other).scope == scope && ((Graph) other).number == number;
  }

  @Override
  public int hashCode() {
    return number;
  }

  /**
   * The opset of the default domain that the export targets, or that a model has.
   *
   * @return the opset; 0 for a program
   */
  public int opset() {
    return scope.read(peer -> peer.opset(number));
  }

  /**
   * Whether the export is in training mode.
   *
   * @return true for training
   */
  public boolean isTraining() {
    return scope.call().isTraining();
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
    return scope.values(Attributes.with(attributes, peer -> scope.call().op(number, name, ids, peer, outputs)));
  }

  /**
   * Appends a Constant node.
   *
   * @param tensor its value, which is shared
   * @return the output
   */
  public Value constant(Tensor tensor) {
    Objects.requireNonNull(tensor, "tensor");
    return tensor.handle.read(peer -> scope.value(scope.call().constant(number, peer)));
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
    return scope.value(scope.call().cast(number, scope.id(value), dtype.code));
  }

  /**
   * Converts another operator of LibTorch as tonnx itself does; symbolics are not called.
   *
   * @param name the operator, "aten::gelu" or "aten::add.Tensor"
   * @param arguments further arguments by name (ints, floats, strings, tensors and lists of these; the ints 0 and 1
   *     are also bools), or null
   * @param inputs the first arguments; null is None
   * @return the output
   */
  public Value call(String name, Attributes arguments, Value... inputs) {
    return call(name, arguments, Arrays.asList(inputs), 1).get(0);
  }

  /**
   * Converts another operator of LibTorch as tonnx itself does; symbolics are not called.
   *
   * @param name the operator, "aten::gelu" or "aten::add.Tensor"
   * @param arguments further arguments by name, or null
   * @param inputs the first arguments; null is None
   * @param outputs number of outputs
   * @return the outputs; null for one without ONNX counterpart
   */
  public List<Value> call(String name, Attributes arguments, List<Value> inputs, int outputs) {
    Objects.requireNonNull(name, "name");
    int[] ids = scope.ids(inputs);
    return scope.values(Attributes.with(arguments, peer -> scope.call().call(number, name, ids, peer, outputs)));
  }

  /**
   * Makes a list of tensors, as an argument of {@link #call}.
   *
   * @param values the items; null is None
   * @return the list
   */
  public Value list(Value... values) {
    return scope.value(scope.call().list(number, scope.ids(Arrays.asList(values))));
  }

  /**
   * Adds a sub-graph: a branch of an If ("then_branch", "else_branch"), the body of a Loop, Scan or SequenceMap
   * ("body"), or any attribute of an operator of another domain. Its nodes may use the values of the graphs around it.
   * Set its results, then pass it to {@link Attributes#setGraph}.
   *
   * @return the sub-graph
   */
  public Graph addSubgraph() {
    return scope.graph(scope.call().addSubgraph(number));
  }

  /**
   * Adds an input to a sub-graph.
   *
   * @return the input
   */
  public Value addInput() {
    return scope.value(scope.call().addInput(number));
  }

  /**
   * Ends a sub-graph. A symbolic returns its own results instead.
   *
   * @param values the results
   */
  public void setResults(Value... values) {
    scope.call().setResults(number, scope.ids(Arrays.asList(values)));
  }
}
