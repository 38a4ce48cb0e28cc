package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeVerifyOptions;

/** How a model is compared with its program. What is not set has its default. */
public final class VerifyOptions {
  private final Settings<NativeVerifyOptions> settings =
      new Settings<>(NativeVerifyOptions::new, NativeVerifyOptions::delete);

  /** All defaults. */
  public VerifyOptions() {}

  /**
   * By how much a value may differ: |model - program| must not pass atol + rtol * |program|. Default: by the loosest
   * floating dtype in the model.
   *
   * @param rtol the relative tolerance; negative: the default
   * @param atol the absolute tolerance; negative: the default
   * @return this
   */
  public VerifyOptions tolerance(double rtol, double atol) {
    settings.add(peer -> peer.tolerance(rtol, atol));
    return this;
  }

  /**
   * The size that a dynamic axis has in the second run. Default: one that tonnx chooses; of a trace, one that it ran at.
   *
   * @param symbol of the axis
   * @param size its size
   * @return this
   */
  public VerifyOptions size(String symbol, long size) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.size(symbol, size));
    return this;
  }

  /**
   * Whether there is a second run, at another size of each dynamic axis. Default: true.
   *
   * @param enabled whether there is
   * @return this
   */
  public VerifyOptions otherSizes(boolean enabled) {
    settings.add(peer -> peer.otherSizes(enabled));
    return this;
  }

  NativeVerifyOptions peer() {
    return settings.peer();
  }
}
