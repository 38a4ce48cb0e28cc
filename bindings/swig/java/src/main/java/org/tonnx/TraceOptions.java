package org.tonnx;

import org.tonnx.internal.NativeTraceOptions;

/** How a trace is made. What is not set has its default. A trace reads it when it starts. */
public final class TraceOptions {
  private boolean shareWeights;

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
    shareWeights = enabled;
    return this;
  }

  NativeTraceOptions peer() {
    NativeTraceOptions peer = new NativeTraceOptions();
    peer.shareWeights(shareWeights);
    return peer;
  }
}
