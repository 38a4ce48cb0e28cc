package org.tonnx;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.tonnx.internal.NativeCall;
import org.tonnx.internal.NativeReader;

/** The owner of graphs, nodes and values, which are numbers in native code: one run of a symbolic, or contents. */
abstract class Scope {
  /** Calls `body` with the native owner, which lives meanwhile. */
  abstract <R> R read(Function<NativeReader, R> body);

  /** The native owner, for calls that change the graph. */
  abstract NativeCall call();

  final Value value(int id) {
    return id < 0 ? null : new Value(this, id);
  }

  final Node node(int id) {
    return id < 0 ? null : new Node(this, id);
  }

  final Graph graph(int id) {
    return id < 0 ? null : new Graph(this, id);
  }

  final List<Value> values(int[] ids) {
    return all(ids, this::value);
  }

  final List<Node> nodes(int[] ids) {
    return all(ids, this::node);
  }

  final List<Graph> graphs(int[] ids) {
    return all(ids, this::graph);
  }

  final int id(Value value) {
    if (value == null) {
      return -1;
    }
    if (value.scope != this) {
      throw new IllegalArgumentException("a value of another run of a symbolic");
    }
    return value.id;
  }

  final int[] ids(List<Value> values) {
    int[] ids = new int[values.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = id(values.get(i));
    }
    return ids;
  }

  private static <T> List<T> all(int[] ids, IntFunction<T> make) {
    List<T> all = new ArrayList<>(ids.length);
    for (int id : ids) {
      all.add(make.apply(id));
    }
    return all;
  }
}
