package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeVerifyOptions;

/** How a model is compared with its program. What is not set has its default. */
public final class VerifyOptions {
  private final Settings<NativeVerifyOptions> settings =
      new Settings<>(NativeVerifyOptions::new, NativeVerifyOptions::delete);

  /** All defaults. */
  public VerifyOptions() {}

  // Made from options.json by scripts/options.py.

  /**
   * By how much a value may differ, relative to the program's: |model - program| &lt;= atol + rtol * |program|; below 0
   * the default. Integers are compared exactly. Default: by the loosest floating dtype in the model (float16 and
   * bfloat16 1e-2, float32 1e-3, on an accelerator 1e-2, float64 1e-5).
   *
   * @param value the value
   * @return this
   */
  public VerifyOptions rtol(double value) {
    settings.add(peer -> peer.rtol(value));
    return this;
  }

  /**
   * By how much a value may differ beside that; below 0 the default. Default: by the loosest floating dtype in the
   * model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7).
   *
   * @param value the value
   * @return this
   */
  public VerifyOptions atol(double value) {
    settings.add(peer -> peer.atol(value));
    return this;
  }

  /**
   * The size that a dynamic axis, by its symbol, has in the second run. Default: one that tonnx chooses; of a trace,
   * one that it ran at.
   *
   * @param symbol the symbol
   * @param size the size
   * @return this
   */
  public VerifyOptions size(String symbol, long size) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.size(symbol, size));
    return this;
  }

  /**
   * A second run, at another size of each dynamic axis, and one with each axis that is broadcast with another at size
   * 1. Default: true.
   *
   * @param enabled the enabled
   * @return this
   */
  public VerifyOptions otherSizes(boolean enabled) {
    settings.add(peer -> peer.otherSizes(enabled));
    return this;
  }

  /**
   * Of what tells which operators differ: check every operator on its own as well, on LibTorch's values, which finds
   * differences that the results do not show. Default: false.
   *
   * @param enabled the enabled
   * @return this
   */
  public VerifyOptions everyOperator(boolean enabled) {
    settings.add(peer -> peer.everyOperator(enabled));
    return this;
  }
  // Made until here.

  NativeVerifyOptions peer() {
    return settings.peer();
  }
}
