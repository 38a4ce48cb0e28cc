package org.tonnx;

/**
 * LibTorch code that is traced. Tensors are addresses of an {@code at::Tensor} of the LibTorch of the
 * process, as DJL holds it ({@code PtNDArray.getHandle()}).
 *
 * @param <E> what it throws
 */
@FunctionalInterface
public interface TracedCode<E extends Exception> {
  /**
   * Runs the code.
   *
   * @param trace takes weights, modules and named results; valid until this returns
   * @param inputs the trace's own tensors, valid until this returns
   * @return the results, which must live until this has returned; those that do not (a try block closes them) are given
   *     to {@link Trace#output} while they do, and null is returned
   * @throws E what comes out of {@link Program#trace}
   */
  long[] run(Trace trace, long[] inputs) throws E;
}
