package org.tonnx;

import java.util.Map;

/** Makes the inputs of a trace's further runs: {@link TraceOptions#resize}. */
@FunctionalInterface
public interface Resize {
  /**
   * Makes arguments like the example's at other sizes.
   *
   * @param sizes the size of each dynamic axis, by symbol
   * @return new arguments, which the trace closes
   * @throws Exception the cause of the {@link TonnxException} with which the trace ends
   */
  Args args(Map<String, Long> sizes) throws Exception;
}
