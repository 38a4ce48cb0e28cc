package org.tonnx;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tonnx.internal.NativeCall;
import org.tonnx.internal.NativeContents;
import org.tonnx.internal.NativeReader;

/**
 * Inputs, outputs, weights, operators and the graph of a program or a model. Graphs, nodes and values that are reached
 * from it can be read, on any thread, until it is closed.
 */
public final class Contents implements AutoCloseable {
  private final Handle<NativeContents> handle;
  private final Scope scope;

  Contents(NativeContents peer) {
    handle = new Handle<>(this, peer, NativeContents::delete);
    scope = new Open(handle);
  }

  /**
   * The inputs.
   *
   * @return in order, a new list
   */
  public List<Value> inputs() {
    return handle.read(peer -> scope.values(peer.inputs()));
  }

  /**
   * The outputs.
   *
   * @return in order, a new list
   */
  public List<Value> outputs() {
    return handle.read(peer -> scope.values(peer.outputs()));
  }

  /**
   * The weights; {@link Value#asTensor} returns their elements.
   *
   * @return in the order of the state dict, a new list
   */
  public List<Value> weights() {
    return handle.read(peer -> scope.values(peer.weights()));
  }

  /**
   * The outermost graph, to walk. That of a program is unconverted, with its branches and loops.
   *
   * @return the graph
   */
  public Graph graph() {
    return scope.graph(0);
  }

  /**
   * Kinds of operators, {@code "aten::add.Tensor"} in a program and {@code "Conv"} in a model, with the number of their
   * nodes.
   *
   * @return sorted by name, an unmodifiable map
   */
  public Map<String, Long> operators() {
    return handle.read(peer -> {
      Map<String, Long> kinds = new LinkedHashMap<>();
      long[] uses = peer.operatorUses();
      for (String name : Text.list(peer.operators())) {
        kinds.put(name, uses[kinds.size()]);
      }
      return Collections.unmodifiableMap(kinds);
    });
  }

  /** Frees the object; a second call does nothing. */
  @Override
  public void close() {
    handle.close();
  }

  private static final class Open extends Scope {
    private final Handle<NativeContents> handle;

    Open(Handle<NativeContents> handle) {
      this.handle = handle;
    }

    @Override
    <R> R read(Function<NativeReader, R> body) {
      return handle.read(body::apply);
    }

    @Override
    NativeCall call() {
      throw new IllegalStateException("graphs, nodes and values of contents can only be read");
    }
  }
}
