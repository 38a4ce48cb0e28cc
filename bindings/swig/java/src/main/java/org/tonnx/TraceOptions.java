package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeTraceOptions;

/** How a trace is made. What is not set has its default. A trace reads it when it starts. */
public final class TraceOptions {
  private final Settings<NativeTraceOptions> settings =
      new Settings<>(NativeTraceOptions::new, NativeTraceOptions::delete);

  /** All defaults. */
  public TraceOptions() {}

  // Made from options.json by scripts/options.py.

  /**
   * Weights share the memory of the tensors that were declared or captured, and nobody may write to it as long as the
   * program or a model of it lives; otherwise they are copied when the run ends. Default: false.
   *
   * @param enabled the enabled
   * @return this
   */
  public TraceOptions shareWeights(boolean enabled) {
    settings.add(peer -> peer.shareWeights(enabled));
    return this;
  }

  /**
   * Run the first recording again on its inputs before it becomes a program, and refuse it where it does not give what
   * the code returned; the error names the first operator that differs. Further runs are compared with the first one.
   * Without it a trace takes the time of the code alone. Default: true.
   *
   * @param enabled the enabled
   * @return this
   */
  public TraceOptions replay(boolean enabled) {
    settings.add(peer -> peer.replay(enabled));
    return this;
  }

  /**
   * An axis that is dynamic in every export, told before the code runs: it then runs at several sizes. The input is
   * counted among the tensors and numbers of the arguments; an axis below 0 counts from the end. Axes of one symbol
   * have one size; without a symbol an axis has one of its own. Default: none, and no axis can be dynamic in an export
   * unless there is a single run.
   *
   * @param input the input
   * @param axis the axis
   * @param symbol the symbol
   * @return this
   */
  public TraceOptions dynamicAxis(int input, long axis, String symbol) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.dynamicAxis(input, axis, symbol));
    return this;
  }

  /**
   * One of the sizes to run; tonnx chooses further ones. Where the code does not run at it the trace fails. At 0 tonnx
   * runs no code that is not told to, for it may divide by the size; what the code gives there must be what the program
   * of the other runs gives. Default: those that tonnx chooses.
   *
   * @param symbol the symbol
   * @param size the size
   * @return this
   */
  public TraceOptions size(String symbol, long size) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.size(symbol, size));
    return this;
  }

  /**
   * A dynamic axis along which the code runs at the example's size only, or takes another path at other sizes, is fixed
   * in every export, and a warning names the axis, the size and the reason. Without it the trace is refused. Default:
   * false.
   *
   * @param enabled the enabled
   * @return this
   */
  public TraceOptions allowFixedAxes(boolean enabled) {
    settings.add(peer -> peer.allowFixedAxes(enabled));
    return this;
  }

  /**
   * The largest size at which tonnx runs the code by itself: first near the example, then at powers of two and numbers
   * beside them, one dynamic axis at a time, as long as these runs cost little beside the others (a large network is
   * run at fewer of them). So a threshold of the code (n &gt; 512) is found, and the model follows it or the trace is
   * refused, naming operator and size. The smallest and the largest size that were run are in the report and in the
   * model's metadata (tonnx.sizes). An example that is larger is run at sizes near it and below. 1: near the example
   * alone. Default: 4096.
   *
   * @param value the value
   * @return this
   */
  public TraceOptions largestSize(int value) {
    settings.add(peer -> peer.largestSize(value));
    return this;
  }

  /**
   * One run, whatever the axes: numbers that the code computes from sizes stay the example's, and exports may name any
   * axis dynamic. Default: false.
   *
   * @param enabled the enabled
   * @return this
   */
  public TraceOptions singleRun(boolean enabled) {
    settings.add(peer -> peer.singleRun(enabled));
    return this;
  }

  /**
   * Run the code on other values of the same sizes as well: the example's in another order, of the other sign, and
   * zeros; where it reads numbers by item(), equal() and their like, on the example's three times more, with low, high
   * and no numbers in their place. Where it does not do the same, the trace is refused, naming operator and reads;
   * where it runs on none of these values, a warning says so. Where the code runs once, warnings name each read of a
   * number and each operator whose result's sizes depend on data (nonzero, unique): the model keeps what the code made
   * of them. Reads by an accessor or data_ptr() are found on other values only. Default: where the code runs at several
   * sizes, but in no single run.
   *
   * @param enabled the enabled
   * @return this
   */
  public TraceOptions otherValues(boolean enabled) {
    settings.add(peer -> peer.otherValues(enabled));
    return this;
  }
  // Made until here.

  /**
   * An axis of an input is dynamic in every export. The code then runs at several sizes.
   *
   * @param input the input, among the tensors and numbers of the arguments, in order
   * @param axis the axis; negative: from the end
   * @return this
   */
  public TraceOptions dynamicAxis(int input, long axis) {
    return dynamicAxis(input, axis, "");
  }

  /**
   * Who makes the inputs of the further runs. Default: they are the example's, cut off or over again.
   *
   * @param resize makes them
   * @return this
   */
  public TraceOptions resize(Resize resize) {
    Objects.requireNonNull(resize, "resize");
    settings.add(peer -> peer.resize(Callbacks.keep(resize)));
    return this;
  }

  NativeTraceOptions peer() {
    return settings.peer();
  }
}
