package org.tonnx;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.tonnx.internal.NativeRegistry;

/** Maps operators to lowerings by opset: the built-in lowerings and the caller's symbolics. */
public final class Registry implements AutoCloseable {
  final Handle<NativeRegistry> handle;

  /** The built-in lowerings. */
  public Registry() {
    NativeLibrary.require();
    handle = new Handle<>(this, new NativeRegistry(), NativeRegistry::delete);
  }

  /**
   * Registers a symbolic. It wins over every built-in of that name; among symbolics the newest not above the target
   * wins; the same name and opset again replaces. It is kept until this registry and all exports that run with it let
   * go.
   *
   * @param name {@code "domain::op"} (every overload) or {@code "domain::op.overload"}
   * @param since the first target opset that it serves
   * @param symbolic what converts the operator
   * @return this
   */
  public Registry add(String name, int since, Symbolic symbolic) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(symbolic, "symbolic");
    handle.change(peer -> {
      long number = Callbacks.keep(symbolic);
      try {
        peer.add(name, since, number);
      } catch (RuntimeException | Error e) {
        Callbacks.dropSymbolic(number);
        throw e;
      }
    });
    return this;
  }

  /**
   * Adds ONNX functions in ONNX text format, for symbolics to call by domain and name.
   *
   * @param text one or more functions
   * @return this
   */
  public Registry addFunctions(String text) {
    return addFunctions(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Adds an ONNX function, a serialized FunctionProto, or several in ONNX text format (UTF-8). Calls of them are nodes
   * of their domain and name; the model contains those that it calls, and those that they call.
   *
   * @param source the function
   * @return this
   * @throws TonnxException with {@link Status#ARGUMENT} if the bytes are not functions, a function calls itself, or
   *     another one of its domain and name is registered
   */
  public Registry addFunctions(byte[] source) {
    return addFunctions(source, "", 0);
  }

  /**
   * Adds ONNX functions and converts an operator to a call of the last one. Arguments are passed as the inputs and
   * attributes of the same names, other tensors as the other inputs, in order.
   *
   * @param text one or more functions in ONNX text format
   * @param name the operator, {@code "domain::op"} or {@code "domain::op.overload"}
   * @param since the first target opset that it serves; 0 for every one
   * @return this
   */
  public Registry addFunctions(String text, String name, int since) {
    return addFunctions(text.getBytes(StandardCharsets.UTF_8), name, since);
  }

  /**
   * The same, for the bytes of a FunctionProto or of text.
   *
   * @param source the function
   * @param name the operator, {@code "domain::op"} or {@code "domain::op.overload"}
   * @param since the first target opset that it serves; 0 for every one
   * @return this
   */
  public Registry addFunctions(byte[] source, String name, int since) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(name, "name");
    handle.change(peer -> peer.addFunctions(source, name, since));
    return this;
  }

  /**
   * Declares the arguments of a symbolic: a kind for each, in the order of the schema, {@code "v,i,is,f"}. {@code v} is
   * any value, {@code i f b s} an int, float, bool or string, {@code t} a tensor or number, {@code is fs ss} a list,
   * and
   * {@code none} not used. All but {@code v} and {@code none} must be constants, or None. An export with other
   * arguments fails before the symbolic is called, with {@link Status#CALLBACK} and the argument, its value and type.
   *
   * @param name the name it was registered under
   * @param since the opset it was registered for
   * @param kinds the kinds, separated by commas
   * @return this
   */
  public Registry setArguments(String name, int since, String kinds) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(kinds, "kinds");
    handle.change(peer -> peer.setArguments(name, since, kinds));
    return this;
  }

  /**
   * Removes a symbolic; a built-in lowering of that name applies again.
   *
   * @param name the name it was registered under
   * @param since the opset it was registered for
   * @return this
   */
  public Registry remove(String name, int since) {
    Objects.requireNonNull(name, "name");
    handle.change(peer -> peer.remove(name, since));
    return this;
  }

  /**
   * Every operator that an export converts, by name, then opset.
   *
   * @return a new, unmodifiable list
   */
  public List<Entry> entries() {
    return handle.read(peer -> {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < peer.count(); i++) {
        entries.add(new Entry(peer.name(i), peer.since(i), peer.isCustom(i), peer.kind(i)));
      }
      return Collections.unmodifiableList(entries);
    });
  }

  @Override
  public void close() {
    handle.close();
  }

  /** One registration. */
  public static final class Entry {
    private final String name;
    private final int since;
    private final boolean custom;
    private final String kind;

    private Entry(String name, int since, boolean custom, String kind) {
      this.name = name;
      this.since = since;
      this.custom = custom;
      this.kind = kind;
    }

    /**
     * What it serves.
     *
     * @return {@code "domain::op"} or {@code "domain::op.overload"}
     */
    public String name() {
      return name;
    }

    /**
     * The first target opset that it serves.
     *
     * @return the opset
     */
    public int since() {
      return since;
    }

    /**
     * Whether it is a symbolic of the caller.
     *
     * @return whether it is
     */
    public boolean isCustom() {
      return custom;
    }

    /**
     * How the operator is converted: {@code "lowering"}, {@code "symbolic"} or {@code "function"} by a registration; by
     * passes {@code "write"}, {@code "container"}, {@code "constant"} and {@code "quantised"}.
     *
     * @return the kind
     */
    public String kind() {
      return kind;
    }

    @Override
    public String toString() {
      return name + " since " + since + (custom ? ", custom" : "");
    }
  }
}
