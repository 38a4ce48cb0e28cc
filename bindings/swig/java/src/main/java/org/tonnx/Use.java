package org.tonnx;

/** A use of a value of {@link Contents}: an input of a node. */
public final class Use {
  private final Node node;
  private final int index;

  Use(Node node, int index) {
    this.node = node;
    this.index = index;
  }

  /**
   * The user. A graph or block that returns the value uses it as an input of a node {@code "prim::Return"}, which is
   * not one of its nodes; {@link Node#parent} returns the graph.
   *
   * @return the node
   */
  public Node node() {
    return node;
  }

  /**
   * Which input of the node the value is.
   *
   * @return its index
   */
  public int index() {
    return index;
  }
}
