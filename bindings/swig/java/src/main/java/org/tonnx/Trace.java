package org.tonnx;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tonnx.internal.NativeProgram;
import org.tonnx.internal.NativeTrace;

/** A run of the traced code, valid until the code returns, on its thread. */
public final class Trace {
  private final Thread thread = Thread.currentThread();
  private NativeTrace peer;

  private Trace(NativeTrace peer) {
    this.peer = peer;
  }

  static <E extends Exception> NativeProgram record(NativeTrace peer, TracedCode<E> code) throws E {
    boolean again = runOnce(peer, code);
    while (again) {
      try {
        again = runOnce(peer, code);
      } catch (TonnxException e) {
        throw e;
      } catch (Exception e) {
        Callbacks.refuse(peer::failWith, e);
        again = peer.next();
      }
    }
    return peer.end();
  }

  /** Runs the code once. Returns true if it must run again on other inputs. */
  private static <E extends Exception> boolean runOnce(NativeTrace peer, TracedCode<E> code) throws E {
    Trace trace = new Trace(peer);
    try {
      trace.run(code);
    } finally {
      trace.peer = null;
    }
    return peer.next();
  }

  /**
   * The same tensor as an input at a new address: for hosts that delete the tensors they wrap, as DJL does.
   *
   * @param index the input
   * @return the address of an {@code at::Tensor}, which the caller owns
   */
  public long newInput(int index) {
    return open().newInput(index);
  }

  /**
   * Declares a weight: reads of this tensor become reads of the named weight. Call it before
   * the tensor is used. A captured tensor that is not declared becomes a weight "constant_N".
   *
   * @param name the name, {@code "fc1.weight"}
   * @param atTensor the address of an {@code at::Tensor}, borrowed for the call
   */
  public void weight(String name, long atTensor) {
    Objects.requireNonNull(name, "name");
    open().weight(name, atTensor);
  }

  /**
   * Adds a result.
   *
   * @param atTensor the address of an {@code at::Tensor}, borrowed for the call
   */
  public void output(long atTensor) {
    open().output("", atTensor);
  }

  /**
   * Adds a result with a name.
   *
   * @param name the output's name in the model
   * @param atTensor the address of an {@code at::Tensor}, borrowed for the call
   */
  public void output(String name, long atTensor) {
    Objects.requireNonNull(name, "name");
    open().output(name, atTensor);
  }

  /**
   * A size of a recorded tensor as a recorded value, where one run must do.
   *
   * @param atTensor the address of an {@code at::Tensor}
   * @param axis the axis; negative: from the end
   * @return the address of an {@code at::Tensor} of rank 0 and dtype int64, valid until the code returns
   */
  public long size(long atTensor, long axis) {
    return open().recordedSize(atTensor, axis);
  }

  /**
   * Starts a call of a module: operators that run until the result is closed belong to it. Calls may be nested.
   *
   * @param type the module's class, {@code "Linear"}
   * @param name its name, {@code "fc1"}
   * @return to be closed, by a try block
   */
  public Module module(String type, String name) {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(name, "name");
    int depth = open().enter(type, name);
    AtomicBoolean entered = new AtomicBoolean(true);
    return () -> {
      if (entered.getAndSet(false)) {
        open().leave(depth);
      }
    };
  }

  /** A module that was entered; closing it leaves it, and closing it again does nothing. */
  @FunctionalInterface
  public interface Module extends AutoCloseable {
    @Override void close();
  }

  /**
   * Runs code as one function: its operators are one operator, which a symbolic {@code prim::PythonOp.NAME} or {@code
   * prim::PythonOp} converts. Without one, an export converts the operators, unless {@code autogradInlining} is off.
   * Functions may be nested. A function whose code throws is dropped: its operators stay in the program.
   *
   * @param <E> what the code throws
   * @param name the function's name, {@code "MyRelu"}
   * @param inputs the addresses of its tensors, borrowed for the call
   * @param arguments its arguments that are not tensors, or null
   * @param body the code; it returns the addresses of the tensors that code after it reads, at least one. The objects
   *     of the tensors must live until this method returns, so keep them in variables outside of the body
   * @return what the code returned
   * @throws E if the code throws it
   */
  public <E extends Exception> long[] function(String name, long[] inputs, Attributes arguments, FunctionBody<E> body)
      throws E {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(inputs, "inputs");
    Objects.requireNonNull(body, "body");
    Attributes.with(arguments, peer -> {
      open().beginFunction(name, inputs, peer);
      return null;
    });
    try {
      long[] outputs = body.run();
      open().endFunction(outputs);
      return outputs;
    } catch (Throwable thrown) {
      abandonFunction(thrown);
      throw thrown;
    }
  }

  /**
   * The code of a function.
   *
   * @param <E> what it throws
   */
  @FunctionalInterface
  public interface FunctionBody<E extends Exception> {
    /**
     * Runs it.
     *
     * @return the addresses of its results
     * @throws E if it fails
     */
    long[] run() throws E;
  }

  /** Drops the innermost function, which failed. */
  private void abandonFunction(Throwable reason) {
    try {
      open().abandonFunction();
    } catch (RuntimeException late) {
      reason.addSuppressed(late);
    }
  }

  private <E extends Exception> void run(TracedCode<E> code) throws E {
    long[] inputs = new long[peer.inputCount()];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = peer.input(i);
    }
    long[] results = code.run(this, inputs);
    if (results != null) {
      for (long result : results) {
        output(result);
      }
    }
  }

  private NativeTrace open() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException("a trace belongs to the thread that runs it");
    }
    if (peer == null) {
      throw new IllegalStateException("a trace is valid until the code that it was given to returns");
    }
    return peer;
  }
}
