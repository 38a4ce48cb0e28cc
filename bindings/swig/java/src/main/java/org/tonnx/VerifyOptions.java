package org.tonnx;

import java.util.Objects;
import org.tonnx.internal.NativeVerifyOptions;

/** How to compare a model with its program. What is not set has its default. */
public final class VerifyOptions {
  private final Settings<NativeVerifyOptions> settings =
      new Settings<>(NativeVerifyOptions::new, NativeVerifyOptions::delete);

  /** All defaults. */
  public VerifyOptions() {}

  // Made from options.json by scripts/options.py.

  /**
   * Relative tolerance: |model - program| &lt;= atol + rtol * |program|. Negative: the default. Integers are compared
   * exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on an
   * accelerator 1e-2, float64 1e-5).
   *
   * @param value the value
   * @return this
   */
  public VerifyOptions rtol(double value) {
    settings.add(peer -> peer.rtol(value));
    return this;
  }

  /**
   * Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating dtype in the
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
   * Tolerances of the results of an operator, by its name ('aten::gelu', or 'aten::add.Tensor' for one overload):
   * outputs of the model that it makes, also through views, but not through a branch or another operator; and, in a
   * search for the operators that differ, the results of each part that it makes. A negative value means rtol or atol.
   * Lists of tuples or dicts have none. A verification warns of a tolerance that no output uses. Default: none: rtol
   * and atol for all results.
   *
   * @param name the name of the operator
   * @param rtol the relative tolerance
   * @param atol the absolute tolerance
   * @return this
   */
  public VerifyOptions operatorTolerance(String name, double rtol, double atol) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.operatorTolerance(name, rtol, atol));
    return this;
  }

  /**
   * Share of the elements of an output that may differ by more than the tolerances, from 0 to 1. Default: 0, also if it
   * is negative: no element may differ.
   *
   * @param value the value
   * @return this
   */
  public VerifyOptions acceptedShare(double value) {
    settings.add(peer -> peer.acceptedShare(value));
    return this;
  }

  /**
   * Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared. Default:
   * true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public VerifyOptions checkDtype(boolean enabled) {
    settings.add(peer -> peer.checkDtype(enabled));
    return this;
  }

  /**
   * Compare shapes. If off, an output may have another shape with the same number of elements, which are compared in
   * order. Default: true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public VerifyOptions checkShape(boolean enabled) {
    settings.add(peer -> peer.checkShape(enabled));
    return this;
  }

  /**
   * Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the CPU.
   * Default: "".
   *
   * @param name the value
   * @return this
   */
  public VerifyOptions provider(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.provider(name));
    return this;
  }

  /**
   * Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model. Default: none.
   *
   * @param name one entry; each call adds one
   * @return this
   */
  public VerifyOptions runtimeLibrary(String name) {
    Objects.requireNonNull(name, "name");
    settings.add(peer -> peer.runtimeLibrary(name));
    return this;
  }

  /**
   * Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace, one that it
   * was run at.
   *
   * @param symbol the symbol
   * @param size its size
   * @return this
   */
  public VerifyOptions size(String symbol, long size) {
    Objects.requireNonNull(symbol, "symbol");
    settings.add(peer -> peer.size(symbol, size));
    return this;
  }

  /**
   * Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size 1.
   * Default: true.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public VerifyOptions otherSizes(boolean enabled) {
    settings.add(peer -> peer.otherSizes(enabled));
    return this;
  }

  /**
   * When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This finds
   * differences that the outputs hide. Default: false.
   *
   * @param enabled true to switch it on
   * @return this
   */
  public VerifyOptions everyOperator(boolean enabled) {
    settings.add(peer -> peer.everyOperator(enabled));
    return this;
  }
  // Made until here.

  /**
   * Follows and cancels the verifications and searches with these options.
   *
   * @param observer the observer
   * @return this
   */
  public VerifyOptions observer(Observer observer) {
    Objects.requireNonNull(observer, "observer");
    settings.add(peer -> observer.lend(peer::observer));
    return this;
  }

  NativeVerifyOptions peer() {
    return settings.peer();
  }
}
