using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Attributes of an ONNX node: <c>new Attributes { { "axis", 1 }, { "alpha", 0.5 } }</c>. Adding a name again
/// replaces it. A tensor must stay open until the node is created. Enumerates the names.</summary>
public sealed class Attributes : IEnumerable<string> {
  private readonly List<string> names = new List<string>();
  private readonly List<Action<NativeAttributes>> setters = new List<Action<NativeAttributes>>();

  /// <summary>An int attribute.</summary>
  public void Add(string name, long value) {
    Keep(name, native => native.set_int(name, value));
  }

  /// <summary>A float attribute.</summary>
  public void Add(string name, double value) {
    Keep(name, native => native.set_float(name, value));
  }

  /// <summary>A string attribute.</summary>
  public void Add(string name, string value) {
    Require.NotNull(value, nameof(value));
    Keep(name, native => native.set_string(name, value));
  }

  /// <summary>A tensor attribute.</summary>
  public void Add(string name, TensorData value) {
    Require.NotNull(value, nameof(value));
    Keep(name, native => value.Handle.Use(tensor => native.set_tensor(name, tensor)));
  }

  /// <summary>An attribute that is a list of ints; it is copied.</summary>
  public void Add(string name, IEnumerable<long> values) {
    long[] copy = Require.NotNull(values, nameof(values)).ToArray();
    Keep(name, native => native.set_ints(name, copy));
  }

  /// <summary>An attribute that is a list of floats; it is copied.</summary>
  public void Add(string name, IEnumerable<double> values) {
    double[] copy = Require.NotNull(values, nameof(values)).ToArray();
    Keep(name, native => native.set_floats(name, copy));
  }

  /// <summary>An attribute that is a list of strings; it is copied.</summary>
  public void Add(string name, IEnumerable<string> values) {
    string[] copy = Require.NotNull(values, nameof(values)).ToArray();
    Keep(name, native => native.set_strings(name, copy));
  }

  /// <summary>An attribute that is a list of tensors, which must stay open until the node is created.</summary>
  public void Add(string name, IEnumerable<TensorData> values) {
    TensorData[] copy = Require.NotNull(values, nameof(values)).ToArray();
    foreach (TensorData value in copy) Require.NotNull(value, nameof(values));
    Keep(name, native => SetTensors(native, name, copy, 0));
  }

  /// <summary>An attribute that is a tensor type; a dimension of -1 is unknown.</summary>
  public void Add(string name, Dtype dtype, params long[] dims) {
    long[] copy = Require.NotNull(dims, nameof(dims)).ToArray();
    Keep(name, native => native.set_type(name, (int)dtype, copy));
  }

  /// <summary>The content of a value of the symbolic, such as an argument. The suffixed name is that of the attribute
  /// with its kind: "alpha_f", "dims_i", "mode_s", "value_t", or "dtype_ty" for the type of the value; a list makes the
  /// attribute a list. None and null set nothing.</summary>
  public void AddSuffixed(string suffixedName, Value value) {
    Require.NotNull(suffixedName, nameof(suffixedName));
    if (value == null)
      return;
    int split = suffixedName.LastIndexOf('_');
    names.Add(split > 0 ? suffixedName.Substring(0, split) : suffixedName);
    setters.Add(native =>
                    value.Scope.Use(nameof(Value), call => call.set_suffixed(native, suffixedName, value.Number)));
  }

  /// <summary>A sub-graph, Graph.AddSubgraph, for one node of the graph that it was added to.</summary>
  public void Add(string name, Graph graph) {
    Require.NotNull(graph, nameof(graph));
    Keep(name, native => graph.SetAsAttribute(native, name));
  }

  /// <inheritdoc/>
  public IEnumerator<string> GetEnumerator() {
    return names.Distinct().GetEnumerator();
  }

  IEnumerator IEnumerable.GetEnumerator() {
    return GetEnumerator();
  }

  internal NativeAttributes ToNative() {
    var native = new NativeAttributes();
    try {
      foreach (var set in setters) set(native);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }

  // Keeps every tensor open until the list is complete.
  private static void SetTensors(NativeAttributes native, string name, TensorData[] values, int from) {
    if (from == values.Length) {
      native.set_tensors(name);
      return;
    }
    values[from].Handle.Use(tensor => {
      native.add_tensor(tensor);
      SetTensors(native, name, values, from + 1);
    });
  }

  private void Keep(string name, Action<NativeAttributes> setter) {
    names.Add(Require.NotNull(name, nameof(name)));
    setters.Add(setter);
  }
}

}
