package org.tonnx;

/** An output of a model file. */
public final class NamedTensor implements AutoCloseable {
  private final String name;
  private final Tensor tensor;

  NamedTensor(String name, Tensor tensor) {
    this.name = name;
    this.tensor = tensor;
  }

  /**
   * The name of the output.
   *
   * @return NAME, or NAME.0, NAME.1, ... for the items of a sequence
   */
  public String name() {
    return name;
  }

  /**
   * Its elements.
   *
   * @return the tensor, which {@link #close} closes
   */
  public Tensor tensor() {
    return tensor;
  }

  /** Closes the tensor. */
  @Override
  public void close() {
    tensor.close();
  }
}
