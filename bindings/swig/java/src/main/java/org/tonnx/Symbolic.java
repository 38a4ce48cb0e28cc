package org.tonnx;

import java.util.List;

/**
 * Converts one operator of the program to ONNX nodes. It runs on the thread that exports, possibly on several at once,
 * and is kept for as long as its registry, or an export that runs with it, needs it.
 *
 * <p>If LibTorch knows only the schema of the operator and its results are used, it runs more than
 * once for a node: the first runs, at sizes that tonnx chooses, find the types of the results.
 */
@FunctionalInterface
public interface Symbolic {
  /**
   * Converts one operator.
   *
   * @param graph the ONNX graph under construction; it, the node and all values are valid until this returns
   * @param node the source operator
   * @param inputs its arguments in schema order: tensors as values of the graph, other arguments as constants
   * @return the results, one per output of the node (a null item where an output has no ONNX counterpart), or the
   *     items of the only one if that is a list of tensors; or null: "not me", and the next registration is asked
   * @throws Exception why the export fails: its message becomes the reason, and it the cause of the
   *     {@link TonnxException}
   */
  List<Value> apply(Graph graph, Node node, List<Value> inputs) throws Exception;
}
