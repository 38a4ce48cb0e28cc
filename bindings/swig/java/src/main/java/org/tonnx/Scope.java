package org.tonnx;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;
import org.tonnx.internal.NativeCall;

/** One run of a symbolic: lets its graph, node and values reach native code until it returns, on its own thread. */
final class Scope implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private NativeCall call;

  Scope(NativeCall call) {
    this.call = call;
  }

  NativeCall call() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException("graph, node and values of a symbolic belong to the thread that runs it");
    }
    if (call == null) {
      throw new IllegalStateException("graph, node and values of a symbolic are valid until it returns");
    }
    return call;
  }

  Value value(int id) {
    return id < 0 ? null : new Value(this, id);
  }

  List<Value> values(int[] ids) {
    List<Value> values = new ArrayList<>(ids.length);
    for (int id : ids) {
      values.add(value(id));
    }
    return values;
  }

  List<Value> inputs() {
    return new Inputs(call.inputCount());
  }

  int id(Value value) {
    if (value == null) {
      return -1;
    }
    if (value.scope != this) {
      throw new IllegalArgumentException("a value of another run of a symbolic");
    }
    return value.id;
  }

  int[] ids(List<Value> values) {
    int[] ids = new int[values.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = id(values.get(i));
    }
    return ids;
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
