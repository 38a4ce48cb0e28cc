package org.tonnx;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tonnx.internal.NativeAttributes;

/**
 * Attributes of an ONNX node, read by {@link Graph#op}. Setting a name again replaces it. Nothing to close; one thread
 * at a time.
 */
public final class Attributes {
  private final List<Consumer<NativeAttributes>> setters = new ArrayList<>();

  /** No attributes yet. */
  public Attributes() {}

  /**
   * Sets an int.
   *
   * @param name the attribute
   * @param value its value
   * @return this
   */
  public Attributes setInt(String name, long value) {
    Objects.requireNonNull(name, "name");
    return set(peer -> peer.setInt(name, value));
  }

  /**
   * Sets a float.
   *
   * @param name the attribute
   * @param value its value
   * @return this
   */
  public Attributes setFloat(String name, double value) {
    Objects.requireNonNull(name, "name");
    return set(peer -> peer.setFloat(name, value));
  }

  /**
   * Sets a string.
   *
   * @param name the attribute
   * @param value its value
   * @return this
   */
  public Attributes setString(String name, String value) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    return set(peer -> peer.setString(name, value));
  }

  /**
   * Sets a tensor.
   *
   * @param name the attribute
   * @param value its value; it must be open until {@link Graph#op} has read it
   * @return this
   */
  public Attributes setTensor(String name, Tensor value) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    return set(peer -> value.handle.run(tensor -> peer.setTensor(name, tensor)));
  }

  /**
   * Sets ints.
   *
   * @param name the attribute
   * @param values its values
   * @return this
   */
  public Attributes setInts(String name, long... values) {
    Objects.requireNonNull(name, "name");
    long[] copy = values.clone();
    return set(peer -> peer.setInts(name, copy));
  }

  /**
   * Sets floats.
   *
   * @param name the attribute
   * @param values its values
   * @return this
   */
  public Attributes setFloats(String name, double... values) {
    Objects.requireNonNull(name, "name");
    double[] copy = values.clone();
    return set(peer -> peer.setFloats(name, copy));
  }

  /**
   * Sets strings.
   *
   * @param name the attribute
   * @param values its values
   * @return this
   */
  public Attributes setStrings(String name, String... values) {
    Objects.requireNonNull(name, "name");
    byte[][] texts = new byte[values.length][];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = Text.bytes(values[i]);
    }
    return set(peer -> peer.setStrings(name, texts));
  }

  /**
   * Sets tensors.
   *
   * @param name the attribute
   * @param values its values; they must be open until {@link Graph#op} has read them
   * @return this
   */
  public Attributes setTensors(String name, Tensor... values) {
    Objects.requireNonNull(name, "name");
    Tensor[] copy = values.clone();
    for (Tensor value : copy) {
      Objects.requireNonNull(value, "value");
    }
    return set(peer -> setTensors(peer, name, copy, 0));
  }

  /**
   * Sets a tensor type.
   *
   * @param name the attribute
   * @param dtype the type of the elements
   * @param dims the sizes; -1 is unknown
   * @return this
   */
  public Attributes setType(String name, Dtype dtype, long... dims) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(dtype, "dtype");
    long[] copy = dims.clone();
    return set(peer -> peer.setType(name, dtype.code, copy));
  }

  /**
   * Sets an attribute to the content of a value of the symbolic, such as an argument. None sets nothing.
   *
   * @param suffixedName the attribute with its kind: {@code "alpha_f"}, {@code "dims_i"}, {@code "mode_s"}, {@code
   *     "value_t"}, or {@code "dtype_ty"} for the type of the value
   * @param value the value; a list makes the attribute a list, null is None
   * @return this
   */
  public Attributes setSuffixed(String suffixedName, Value value) {
    Objects.requireNonNull(suffixedName, "suffixedName");
    return value == null ? this : set(peer -> value.scope.call().setSuffixed(peer, suffixedName, value.id));
  }

  /**
   * Sets a sub-graph, for one node of the graph that it was added to.
   *
   * @param name the attribute: "then_branch", "else_branch" or "body"; any name for an operator of another domain
   * @param graph the sub-graph, {@link Graph#addSubgraph}
   * @return this
   */
  public Attributes setGraph(String name, Graph graph) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(graph, "graph");
    return set(peer -> graph.scope.call().setGraph(peer, name, graph.number));
  }

  /** Keeps every tensor open until the list is complete. */
  private static void setTensors(NativeAttributes peer, String name, Tensor[] values, int from) {
    if (from == values.length) {
      peer.setTensors(name);
      return;
    }
    values[from].handle.run(tensor -> {
      peer.addTensor(tensor);
      setTensors(peer, name, values, from + 1);
    });
  }

  /** Calls `body` with the attributes as a native object that lives for this call. */
  static <R> R with(Attributes attributes, Function<NativeAttributes, R> body) {
    if (attributes == null) {
      return body.apply(null);
    }
    NativeAttributes peer = new NativeAttributes();
    try {
      attributes.setters.forEach(setter -> setter.accept(peer));
      return body.apply(peer);
    } finally {
      peer.delete();
    }
  }

  private Attributes set(Consumer<NativeAttributes> setter) {
    setters.add(setter);
    return this;
  }
}
