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
