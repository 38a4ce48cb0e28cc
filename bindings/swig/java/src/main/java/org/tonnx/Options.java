package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeOptions;

/** How to export. What is not set has its default. */
public final class Options implements AutoCloseable {
  final Handle<NativeOptions> handle;

  /** All defaults. */
  public Options() {
    NativeLibrary.require();
    handle = new Handle<>(this, new NativeOptions(), NativeOptions::delete);
  }

  /**
   * The opset of the default ONNX domain.
   *
   * @param version {@link Tonnx#oldestOpset} to {@link Tonnx#newestOpset}; default {@link Tonnx#defaultOpset}
   * @return this
   */
  public Options opset(int version) {
    handle.change(peer -> peer.opset(version));
    return this;
  }

  /**
   * The archive's method to export.
   *
   * @param name its name; default "forward"
   * @return this
   */
  public Options method(String name) {
    Objects.requireNonNull(name, "name");
    handle.change(peer -> peer.method(name));
    return this;
  }

  /**
   * Whether dropout and batch norm are exported in inference or in training form.
   *
   * @param mode the form; default {@link Training#EVAL}
   * @return this
   */
  public Options training(Training mode) {
    int code = mode.code;
    handle.change(peer -> peer.training(code));
    return this;
  }

  /**
   * Whether operators on weights are replaced by their results; those on constants alone always are.
   *
   * @param enabled default true
   * @return this
   */
  public Options constantFolding(boolean enabled) {
    handle.change(peer -> peer.constantFolding(enabled));
    return this;
  }

  /**
   * Whether the weights' values are stored; if not, weights become inputs after the user's.
   *
   * @param enabled default true
   * @return this
   */
  public Options exportParams(boolean enabled) {
    handle.change(peer -> peer.exportParams(enabled));
    return this;
  }

  /**
   * Whether initializers are listed among the graph's inputs.
   *
   * @param mode default {@link InitializersAsInputs#AUTO}
   * @return this
   */
  public Options initializersAsInputs(InitializersAsInputs mode) {
    int code = mode.code;
    handle.change(peer -> peer.initializersAsInputs(code));
    return this;
  }

  /**
   * Whether the ONNX checker runs on the result.
   *
   * @param enabled default true
   * @return this
   */
  public Options check(boolean enabled) {
    handle.change(peer -> peer.check(enabled));
    return this;
  }

  /**
   * Whether each node's source line is written as its doc_string.
   *
   * @param enabled default false
   * @return this
   */
  public Options docStrings(boolean enabled) {
    handle.change(peer -> peer.docStrings(enabled));
    return this;
  }

  /**
   * Adds the name of the next input: user inputs first, then weights in state-dict order.
   *
   * @param name the name
   * @return this
   */
  public Options inputName(String name) {
    Objects.requireNonNull(name, "name");
    handle.change(peer -> peer.inputName(name));
    return this;
  }

  /**
   * Adds the name of the next output.
   *
   * @param name the name
   * @return this
   */
  public Options outputName(String name) {
    Objects.requireNonNull(name, "name");
    handle.change(peer -> peer.outputName(name));
    return this;
  }

  /**
   * Makes an axis of an input or output dynamic, under the symbol NAME_dynamic_axes_K.
   *
   * @param name the input or output
   * @param axis negative ones count from the end
   * @return this
   */
  public Options dynamicAxis(String name, long axis) {
    return dynamicAxis(name, axis, "");
  }

  /**
   * Makes an axis of an input or output dynamic.
   *
   * @param name the input or output
   * @param axis negative ones count from the end
   * @param symbol the dimension's name
   * @return this
   */
  public Options dynamicAxis(String name, long axis, String symbol) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(symbol, "symbol");
    handle.change(peer -> peer.dynamicAxis(name, axis, symbol));
    return this;
  }

  /**
   * The version of a custom domain in the model's opset imports.
   *
   * @param domain the domain
   * @param version default 1
   * @return this
   */
  public Options customOpset(String domain, long version) {
    Objects.requireNonNull(domain, "domain");
    handle.change(peer -> peer.customOpset(domain, version));
    return this;
  }

  @Override
  public void close() {
    handle.close();
  }
}
