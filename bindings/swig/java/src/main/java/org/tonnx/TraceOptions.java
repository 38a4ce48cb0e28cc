package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeTraceOptions;

/** How to trace. What is not set has its default. A trace reads it when it starts. */
public final class TraceOptions {
  private final Settings<NativeTraceOptions> settings =
      new Settings<>(NativeTraceOptions::new, NativeTraceOptions::delete);

  /** All defaults. */
  public TraceOptions() {}

  // Made from options.json by scripts/options.py.

  /**
   * Weights share the storage of the declared or captured tensors. The caller must not write to it while the program or
   * a model of it lives. If off, weights are copied when the run ends. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public TraceOptions shareWeights(boolean enabled) {
    settings.add(peer -> peer.shareWeights(enabled));
    return this;
  }

  /**
   * Run the first recording again on its inputs before it becomes a program. The trace is refused if the results differ
   * from what the code returned; the error names the first operator that differs. Further runs are compared with the
   * first one. If off, a trace takes only the time of the code itself. Default: true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public TraceOptions replay(boolean enabled) {
    settings.add(peer -> peer.replay(enabled));
    return this;
  }

  /**
   * An axis that is dynamic in every export, declared before the code runs, so that the code runs at several sizes. The
   * input is an index into the tensors and numbers of the arguments. Negative axes count from the end. Axes with the
   * same symbol have the same size; an axis without a symbol has its own. Default: none; an export can then have
   * dynamic axes only with single_run.
   *
   * @param input the index of the input
   * @param axis the axis
   * @param symbol the symbol of its size
   * @return this
   */
  public TraceOptions dynamicAxis(int input, long axis, String symbol) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.dynamicAxis(input, axis, symbol));
    return this;
  }

  /**
   * A size to run the code at, in addition to those that tonnx chooses. The trace fails if the code does not run at it.
   * Size 0 is run only if it is specified here, since the code may divide by the size; the results must equal those of
   * the program recorded by the other runs. Default: only the sizes that tonnx chooses.
   *
   * @param symbol the symbol
   * @param size one of its sizes
   * @return this
   */
  public TraceOptions size(String symbol, long size) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.size(symbol, size));
    return this;
  }

  /**
   * If the code runs only at the example's size of a dynamic axis, or takes another path at other sizes, fix this axis
   * in every export, and warn with the axis, the size and the reason. If off, the trace is refused. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public TraceOptions allowFixedAxes(boolean enabled) {
    settings.add(peer -> peer.allowFixedAxes(enabled));
    return this;
  }

  /**
   * The largest size at which tonnx runs the code on its own: first near the example, then at powers of two and sizes
   * next to them, one dynamic axis at a time, while these runs are cheap compared with the others (large networks are
   * run at fewer sizes). This finds thresholds in the code (n &gt; 512): the model follows them, or the trace is
   * refused and the error names the operator and the size. The smallest and largest size that were run are in the
   * report and in the model's metadata (tonnx.sizes). If the example is larger, sizes near it and below are run. 1:
   * only sizes near the example. Default: 4096.
   *
   * @param value the value
   * @return this
   */
  public TraceOptions largestSize(int value) {
    settings.add(peer -> peer.largestSize(value));
    return this;
  }

  /**
   * Run the code once, even with dynamic axes. Numbers that the code computes from sizes are then constants of the
   * model, and exports may declare any axis dynamic. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public TraceOptions singleRun(boolean enabled) {
    settings.add(peer -> peer.singleRun(enabled));
    return this;
  }

  /**
   * Also run the code on other values of the same sizes: the example's values in another order, negated, and zeros; if
   * the code reads numbers by item(), equal() or similar operators, also three variants of the example with low, high
   * and no numbers in their place. The trace is refused if the code behaves differently; the error names the operator
   * and the reads. A warning is reported if the code runs on none of these values. If the code is run only once,
   * warnings name each read of a number, each value to whose elements the code took a pointer (data_ptr(), an accessor,
   * DLPack), and each operator whose output sizes depend on data (nonzero, unique), since the model keeps what the code
   * computed from them. Reads through pointers to const elements (const_data_ptr()) are found only by this option.
   * Default: on if the code runs at several sizes and single_run is off.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public TraceOptions otherValues(boolean enabled) {
    settings.add(peer -> peer.otherValues(enabled));
    return this;
  }
  // Made until here.

  /**
   * Follows and cancels the traces with these options.
   *
   * @param observer the observer
   * @return this
   */
  public TraceOptions observer(Observer observer) {
    Objects.requireNonNull(observer, "observer");
    settings.add(peer -> observer.lend(peer::observer));
    return this;
  }

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
