package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeTraceOptions;

/** How a trace is made. What is not set has its default. A trace reads it when it starts. */
public final class TraceOptions {
  private final Settings<NativeTraceOptions> settings =
      new Settings<>(NativeTraceOptions::new, NativeTraceOptions::delete);

  /** All defaults. */
  public TraceOptions() {}

  /**
   * Weights share the memory of the tensors that were declared or captured, which must then stay as they are. Default:
   * false, they are copied when the code returns.
   *
   * @param enabled whether they do
   * @return this
   */
  public TraceOptions shareWeights(boolean enabled) {
    settings.add(peer -> peer.shareWeights(enabled));
    return this;
  }

  /**
   * The first run is run again as it was recorded, and refused where that does not give what the code returned. Default: true.
   *
   * @param enabled whether it is
   * @return this
   */
  public TraceOptions replay(boolean enabled) {
    settings.add(peer -> peer.replay(enabled));
    return this;
  }

  /**
   * The code runs on other values as well, and is refused where it then does something else. Default: where it runs at
   * several sizes.
   *
   * @param enabled whether it does
   * @return this
   */
  public TraceOptions otherValues(boolean enabled) {
    settings.add(peer -> peer.otherValues(enabled));
    return this;
  }

  /**
   * One run whatever the axes: what the code makes of sizes in Java stays the example's. Default: false.
   *
   * @param enabled whether there is one
   * @return this
   */
  public TraceOptions singleRun(boolean enabled) {
    settings.add(peer -> peer.singleRun(enabled));
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
   * An axis of an input is dynamic in every export. The code then runs at several sizes.
   *
   * @param input the input, among the tensors and numbers of the arguments, in order
   * @param axis the axis; negative: from the end
   * @param symbol the dimension's name; axes of one symbol have one size
   * @return this
   */
  public TraceOptions dynamicAxis(int input, long axis, String symbol) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.dynamicAxis(input, axis, symbol));
    return this;
  }

  /**
   * One of the sizes at which the code runs.
   *
   * @param symbol of the dimension
   * @param size its size
   * @return this
   */
  public TraceOptions size(String symbol, long size) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.size(symbol, size));
    return this;
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
