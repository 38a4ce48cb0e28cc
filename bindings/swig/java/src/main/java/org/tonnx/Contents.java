package org.tonnx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tonnx.internal.NativeContents;

/** Inputs, outputs, weights and operators of a program or a model. */
public final class Contents implements AutoCloseable {
  private static final int INPUTS = 0;
  private static final int OUTPUTS = 1;
  private static final int WEIGHTS = 2;

  private final Handle<NativeContents> handle;

  Contents(NativeContents peer) {
    handle = new Handle<>(this, peer, NativeContents::delete);
  }

  /**
   * The inputs.
   *
   * @return in order, an unmodifiable list
   */
  public List<ValueInfo> inputs() {
    return values(INPUTS);
  }

  /**
   * The outputs.
   *
   * @return in order, an unmodifiable list
   */
  public List<ValueInfo> outputs() {
    return values(OUTPUTS);
  }

  /**
   * The weights.
   *
   * @return in the order of the state dict, an unmodifiable list
   */
  public List<ValueInfo> weights() {
    return values(WEIGHTS);
  }

  /**
   * The elements of a weight.
   *
   * @param index its index in {@link #weights}
   * @return a new tensor
   */
  public Tensor weight(int index) {
    return handle.read(peer -> {
      if (index < 0 || index >= peer.count(WEIGHTS)) {
        throw new IndexOutOfBoundsException("no weight has the index " + index);
      }
      return new Tensor(peer.toTensor(WEIGHTS, index));
    });
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

  private List<ValueInfo> values(int part) {
    return handle.read(peer -> {
      List<ValueInfo> all = new ArrayList<>();
      for (int i = 0; i < peer.count(part); i++) {
        all.add(new ValueInfo(peer.valueName(part, i), Kind.of(peer.kind(part, i)), Dtype.of(peer.dtype(part, i)),
            peer.hasRank(part, i), peer.dims(part, i), Text.list(peer.symbols(part, i)).toArray(new String[0])));
      }
      return Collections.unmodifiableList(all);
    });
  }

  /** Frees the object; a second call does nothing. */
  @Override
  public void close() {
    handle.close();
  }
}
