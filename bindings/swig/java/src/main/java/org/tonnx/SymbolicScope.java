package org.tonnx;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.Function;
import org.tonnx.internal.NativeCall;
import org.tonnx.internal.NativeReader;

/** One run of a symbolic: lets its graph, node and values reach native code until it returns, on its own thread. */
final class SymbolicScope extends Scope implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private NativeCall call;

  SymbolicScope(NativeCall call) {
    this.call = call;
  }

  @Override
  <R> R read(Function<NativeReader, R> body) {
    return body.apply(call());
  }

  @Override
  NativeCall call() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException("graph, node and values of a symbolic belong to the thread that runs it");
    }
    if (call == null) {
      throw new IllegalStateException("graph, node and values of a symbolic are valid until it returns");
    }
    return call;
  }

  List<Value> inputs() {
    return new Inputs(call.inputCount());
  }

  @Override
  public void close() {
    call = null;
  }

  private final class Inputs extends AbstractList<Value> implements RandomAccess {
    private final int count;

    Inputs(int count) {
      this.count = count;
    }

    @Override
    public Value get(int index) {
      if (index < 0 || index >= count) {
        throw new IndexOutOfBoundsException("input " + index + " of an operator that has " + count);
      }
      return value(index);
    }

    @Override
    public int size() {
      return count;
    }
  }
}
