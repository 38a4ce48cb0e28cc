package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeOptions;

/**
 * How to export. What is not set has its default. A plain object: an export reads it
 * at its start, and refuses invalid values.
 */
public final class Options {
  private final Settings<NativeOptions> settings = new Settings<>(NativeOptions::new, NativeOptions::delete);

  /** All defaults. */
  public Options() {}

  // Made from options.json by scripts/options.py.

  /**
   * Opset version of the default ONNX domain, within the range that tonnx supports. Default: 17.
   *
   * @param value the value
   * @return this
   */
  public Options opset(int value) {
    settings.add(peer -> peer.opset(value));
    return this;
  }

  /**
   * The runtime whose missing kernels and defects the model avoids. Default: {@link Target#ONNXRUNTIME}.
   *
   * @param mode the choice
   * @return this
   */
  public Options target(Target mode) {
    int code = mode.code;
    settings.add(peer -> peer.target(code));
    return this;
  }

  /**
   * Method of the archive to export. Default: "forward".
   *
   * @param name the value
   * @return this
   */
  public Options method(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.method(name));
    return this;
  }

  /**
   * Whether a script's branches and loops are kept, or the script is run and recorded, with its loops unrolled.
   * Default: {@link Mode#AUTO}.
   *
   * @param mode the choice
   * @return this
   */
  public Options mode(Mode mode) {
    int code = mode.code;
    settings.add(peer -> peer.mode(code));
    return this;
  }

  /**
   * Export dropout and batch norm in inference or training form. Default: {@link Training#EVAL}.
   *
   * @param mode the choice
   * @return this
   */
  public Options training(Training mode) {
    int code = mode.code;
    settings.add(peer -> peer.training(code));
    return this;
  }

  /**
   * Compute operators on weights at export time, and fold normalisations with fixed statistics into the weights of the
   * layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there. Operators on
   * constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is an elementwise
   * operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a weight. So does a
   * product of large matrices, and an operator on a weight with other uses if the model would grow. Default: on in eval
   * mode, off in other modes.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options constantFolding(boolean enabled) {
    settings.add(peer -> peer.constantFolding(enabled));
    return this;
  }

  /**
   * Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode with
   * stored weights that are not inputs of the graph. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options mergeEqualWeights(boolean enabled) {
    settings.add(peer -> peer.mergeEqualWeights(enabled));
    return this;
  }

  /**
   * Store the values of the weights. If off, weights become inputs after the user's inputs. Default: true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options exportParams(boolean enabled) {
    settings.add(peer -> peer.exportParams(enabled));
    return this;
  }

  /**
   * List initializers among the graph's inputs, too. Default: {@link InitializersAsInputs#AUTO}.
   *
   * @param mode the choice
   * @return this
   */
  public Options initializersAsInputs(InitializersAsInputs mode) {
    int code = mode.code;
    settings.add(peer -> peer.initializersAsInputs(code));
    return this;
  }

  /**
   * Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that stays
   * although it should be converted is a warning. Default: {@link OperatorExportType#ONNX}.
   *
   * @param mode the choice
   * @return this
   */
  public Options operatorExportType(OperatorExportType mode) {
    int code = mode.code;
    settings.add(peer -> peer.operatorExportType(code));
    return this;
  }

  /**
   * Convert the operators of a function that the host named in its trace and that has no symbolic. If off, such a
   * function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type says.
   * Archives have no such functions. Default: on; off if operator_export_type is fallthrough or aten_fallback.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options autogradInlining(boolean enabled) {
    settings.add(peer -> peer.autogradInlining(enabled));
    return this;
  }

  /**
   * Run the ONNX checker on the result. Default: true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options check(boolean enabled) {
    settings.add(peer -> peer.check(enabled));
    return this;
  }

  /**
   * File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty: none is
   * written. Default: "".
   *
   * @param name the value
   * @return this
   */
  public Options invalidModel(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.invalidModel(name));
    return this;
  }

  /**
   * Write each node's source line as its doc_string. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options docStrings(boolean enabled) {
    settings.add(peer -> peer.docStrings(enabled));
    return this;
  }

  /**
   * Write the names of nodes. Values keep their names. Default: true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options nodeNames(boolean enabled) {
    settings.add(peer -> peer.nodeNames(enabled));
    return this;
  }

  /**
   * Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the state dict,
   * unless input names replace them. Default: true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options weightNames(boolean enabled) {
    settings.add(peer -> peer.weightNames(enabled));
    return this;
  }

  /**
   * Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param; a size
   * that is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0. Default:
   * true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options valueInfo(boolean enabled) {
    settings.add(peer -> peer.valueInfo(enabled));
    return this;
  }

  /**
   * Class of modules whose calls become local functions of the model: its name without its Python module ('Linear') or
   * with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain of the
   * function. Opset 15 on. Default: none: the model is one graph.
   *
   * @param name one entry; each call adds one
   * @return this
   */
  public Options moduleFunction(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.moduleFunction(name));
    return this;
  }

  /**
   * Add outputs NAME_written with the new values of everything that the program writes to and that outlives the call:
   * inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options writtenOutputs(boolean enabled) {
    settings.add(peer -> peer.writtenOutputs(enabled));
    return this;
  }

  /**
   * Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the error.
   * Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options warningsAsErrors(boolean enabled) {
    settings.add(peer -> peer.warningsAsErrors(enabled));
    return this;
  }

  /**
   * Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument (opset 11 on).
   * It may have any length that the code accepts, and a dynamic axis of it applies to every item. If off, each item of
   * the example becomes an input: NAME.0, NAME.1. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options sequenceInputs(boolean enabled) {
    settings.add(peer -> peer.sequenceInputs(enabled));
    return this;
  }

  /**
   * Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11 on), also
   * if its length is known. An empty list is a sequence of float32. If off, each item of a list of known length becomes
   * an output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options sequenceOutputs(boolean enabled) {
    settings.add(peer -> peer.sequenceOutputs(enabled));
    return this;
  }

  /**
   * Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name keeps the
   * default. A quantised input has one name here; its scale and zero point are called NAME_scale and NAME_zero_point.
   * Default: the argument names of forward, and state-dict keys.
   *
   * @param name one entry; each call adds one
   * @return this
   */
  public Options inputName(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.inputName(name));
    return this;
  }

  /**
   * Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the program
   * returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised output has
   * one name here; its scale and zero point are called NAME_scale and NAME_zero_point. Default: the program's names, or
   * output_N.
   *
   * @param name one entry; each call adds one
   * @return this
   */
  public Options outputName(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.outputName(name));
    return this;
  }

  /**
   * A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is called
   * NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
   *
   * @param name the name of the input or output
   * @param axis the axis
   * @param symbol the symbol of its size
   * @return this
   */
  public Options dynamicAxis(String name, long axis, String symbol) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.dynamicAxis(name, axis, symbol));
    return this;
  }

  /**
   * Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a warning (as
   * with fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do those of a trace
   * that were not declared to it. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options allAxesDynamic(boolean enabled) {
    settings.add(peer -> peer.allAxesDynamic(enabled));
    return this;
  }

  /**
   * What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a check in the
   * program, so the program runs only at the example's size; or torch.export exported it with a fixed size; or it is an
   * axis of an output whose size is known. Other dynamic axes stay dynamic. Default: {@link FixedDynamicAxes#ERROR}.
   *
   * @param mode the choice
   * @return this
   */
  public Options fixedDynamicAxes(FixedDynamicAxes mode) {
    int code = mode.code;
    settings.add(peer -> peer.fixedDynamicAxes(code));
    return this;
  }

  /**
   * Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input (negative axes
   * count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE for a symbol of
   * the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are given). '*' fixes
   * all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too. Refused if the ranges
   * and conditions of the program do not allow the size. For a script, whose axes are fixed unless declared dynamic,
   * NAME fixes an integer argument at the example's value and removes the input; '*' fixes all of them. Default: none:
   * dynamic sizes of torch.export stay dynamic.
   *
   * @param name one entry; each call adds one
   * @return this
   */
  public Options fixedAxis(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.fixedAxis(name));
    return this;
  }

  /**
   * Version of a custom domain in the opset imports of the model. Default: 1.
   *
   * @param domain the domain
   * @param version its version
   * @return this
   */
  public Options customOpset(String domain, long version) {
    Objects.requireNonNull(domain, "domain");
    settings.add(peer -> peer.customOpset(domain, version));
    return this;
  }

  /**
   * Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of LibTorch, or
   * its compilation of a long script, takes longer; 0: no limit. Default: 0.
   *
   * @param value the value
   * @return this
   */
  public Options maxSeconds(int value) {
    settings.add(peer -> peer.maxSeconds(value));
    return this;
  }

  /**
   * Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop that is
   * unrolled or recorded counts. 0: no limit. Default: 0.
   *
   * @param value the value
   * @return this
   */
  public Options maxSteps(int value) {
    settings.add(peer -> peer.maxSteps(value));
    return this;
  }

  /**
   * MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger, the
   * export is cancelled before it is computed. 0: no limit. Default: 0.
   *
   * @param value the value
   * @return this
   */
  public Options maxConstantMib(int value) {
    settings.add(peer -> peer.maxConstantMib(value));
    return this;
  }

  /**
   * Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with status
   * cancelled if the limit is below 400, else with status unsupported. Default: 400.
   *
   * @param value the value
   * @return this
   */
  public Options maxCallDepth(int value) {
    settings.add(peer -> peer.maxCallDepth(value));
    return this;
  }

  /**
   * Program pass after which the program is printed to standard error, whether the pass changed it or not; 'all' for
   * every pass. docs/passes.md lists the passes. Default: none.
   *
   * @param name one entry; each call adds one
   * @return this
   */
  public Options printAfter(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.printAfter(name));
    return this;
  }

  /**
   * Print the program to standard error after each program pass that changed it. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options printChanges(boolean enabled) {
    settings.add(peer -> peer.printChanges(enabled));
    return this;
  }

  /**
   * Add to the report how often each program pass ran, how often it changed the program and how many seconds it took
   * ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public Options passStatistics(boolean enabled) {
    settings.add(peer -> peer.passStatistics(enabled));
    return this;
  }
  // Made until here.

  /**
   * Follows and cancels the exports with these options.
   *
   * @param observer the observer
   * @return this
   */
  public Options observer(Observer observer) {
    Objects.requireNonNull(observer, "observer");
    settings.add(peer -> observer.lend(peer::observer));
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

  /** The native options for one call; null for null. */
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
