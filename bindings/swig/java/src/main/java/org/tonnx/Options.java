package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeOptions;

/**
 * How to export. What is not set has its default. A plain object: an export reads it when it starts, and refuses wrong
 * values.
 */
public final class Options {
  private final Settings<NativeOptions> settings = new Settings<>(NativeOptions::new, NativeOptions::delete);

  /** All defaults. */
  public Options() {}

  // Made from options.json by scripts/options.py.

  /**
   * Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17.
   *
   * @param value the value
   * @return this
   */
  public Options opset(int value) {
    settings.add(peer -> peer.opset(value));
    return this;
  }

  /**
   * Method of the archive. Default: "forward".
   *
   * @param name the name
   * @return this
   */
  public Options method(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.method(name));
    return this;
  }

  /**
   * Whether a scripted program's control flow is kept, or the program is run and what it does is recorded, loops
   * unrolled. Default: {@link Mode#AUTO}.
   *
   * @param mode the mode
   * @return this
   */
  public Options mode(Mode mode) {
    int code = mode.code;
    settings.add(peer -> peer.mode(code));
    return this;
  }

  /**
   * Whether dropout and batch norm are exported in inference or training form. Default: {@link Training#EVAL}.
   *
   * @param mode the mode
   * @return this
   */
  public Options training(Training mode) {
    int code = mode.code;
    settings.add(peer -> peer.training(code));
    return this;
  }

  /**
   * Replace operators on weights by their results, and normalisations by fixed statistics by other weights of the layer
   * before them (from opset 9, in eval mode); operators on constants alone are always replaced. Default: on in eval
   * mode, off in the others.
   *
   * @param enabled the enabled
   * @return this
   */
  public Options constantFolding(boolean enabled) {
    settings.add(peer -> peer.constantFolding(enabled));
    return this;
  }

  /**
   * Store the weights' values; otherwise weights become inputs after the user's. Default: true.
   *
   * @param enabled the enabled
   * @return this
   */
  public Options exportParams(boolean enabled) {
    settings.add(peer -> peer.exportParams(enabled));
    return this;
  }

  /**
   * List initializers among the graph's inputs. Default: {@link InitializersAsInputs#AUTO}.
   *
   * @param mode the mode
   * @return this
   */
  public Options initializersAsInputs(InitializersAsInputs mode) {
    int code = mode.code;
    settings.add(peer -> peer.initializersAsInputs(code));
    return this;
  }

  /**
   * Run the ONNX checker on the result. Default: true.
   *
   * @param enabled the enabled
   * @return this
   */
  public Options check(boolean enabled) {
    settings.add(peer -> peer.check(enabled));
    return this;
  }

  /**
   * Write each node's source line as its doc_string. Default: false.
   *
   * @param enabled the enabled
   * @return this
   */
  public Options docStrings(boolean enabled) {
    settings.add(peer -> peer.docStrings(enabled));
    return this;
  }

  /**
   * Class of modules, without its Python module ('Linear'), whose calls become local functions of the model; '*' for
   * all classes. From opset 15. Default: none: the model is one graph.
   *
   * @param name the name
   * @return this
   */
  public Options moduleFunction(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.moduleFunction(name));
    return this;
  }

  /**
   * Add the new values of all that the program writes to and that outlives the call (inputs, buffers, parameters,
   * attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each write.
   * Default: false.
   *
   * @param enabled the enabled
   * @return this
   */
  public Options writtenOutputs(boolean enabled) {
    settings.add(peer -> peer.writtenOutputs(enabled));
    return this;
  }

  /**
   * An export that warns fails with status warning (class WarningError); the warnings are its reasons. Default: false.
   *
   * @param enabled the enabled
   * @return this
   */
  public Options warningsAsErrors(boolean enabled) {
    settings.add(peer -> peer.warningsAsErrors(enabled));
    return this;
  }

  /**
   * A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of any length
   * but for code that needs another; an axis named of it is one of every item. From opset 11. Without it, each item of
   * the example is an input, NAME.0, NAME.1. Default: false.
   *
   * @param enabled the enabled
   * @return this
   */
  public Options sequenceInputs(boolean enabled) {
    settings.add(peer -> peer.sequenceInputs(enabled));
    return this;
  }

  /**
   * Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the default name of
   * that input. A quantised input has one name here; its scale and zero point are NAME_scale and NAME_zero_point.
   * Default: the names of forward's arguments, and state-dict keys.
   *
   * @param name the name
   * @return this
   */
  public Options inputName(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.inputName(name));
    return this;
  }

  /**
   * Name of the next output: one for each tensor, number or list that the program returns, those of tuples and dicts
   * one by one. An empty one keeps the default name of that output. A quantised output has one name here; its scale and
   * zero point are NAME_scale and NAME_zero_point. Default: the program's names, or output_N.
   *
   * @param name the name
   * @return this
   */
  public Options outputName(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.outputName(name));
    return this;
  }

  /**
   * Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called
   * NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
   *
   * @param name the name
   * @param axis the axis
   * @param symbol the symbol
   * @return this
   */
  public Options dynamicAxis(String name, long axis, String symbol) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.dynamicAxis(name, axis, symbol));
    return this;
  }

  /**
   * What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the program
   * decides, so that it runs at the example's size only, one that torch.export exported with a fixed size, or one of an
   * output that has a known size. The other dynamic axes stay dynamic. Default: {@link FixedDynamicAxes#ERROR}.
   *
   * @param mode the mode
   * @return this
   */
  public Options fixedDynamicAxes(FixedDynamicAxes mode) {
    int code = mode.code;
    settings.add(peer -> peer.fixedDynamicAxes(code));
    return this;
  }

  /**
   * An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input (negative axes
   * count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE as the model
   * calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*' for all that
   * no dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's ranges and
   * conditions do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the arguments, which
   * has the example's value in the model and is no input; '*' for all of them. Default: none: what torch.export left
   * open stays open.
   *
   * @param name the name
   * @return this
   */
  public Options fixedAxis(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.fixedAxis(name));
    return this;
  }

  /**
   * Version of a custom domain in the model's opset imports. Default: 1.
   *
   * @param domain the domain
   * @param version the version
   * @return this
   */
  public Options customOpset(String domain, long version) {
    Objects.requireNonNull(domain, "domain");
    settings.add(peer -> peer.customOpset(domain, version));
    return this;
  }
  // Made until here.

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

  /** What native code is given for one call; null for null. */
  static Peer peer(Options options) {
    return options == null ? null : new Peer(options);
  }

  static final class Peer implements AutoCloseable {
    final NativeOptions options;

    private Peer(Options from) {
      options = from.settings.peer();
    }

    @Override
    public void close() {
      options.delete();
    }
  }
}
