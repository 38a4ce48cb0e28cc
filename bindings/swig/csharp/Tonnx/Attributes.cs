using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Attributes of an ONNX node: <c>new Attributes { { "axis", 1 }, { "alpha", 0.5 } }</c>. Adding a name again
/// replaces it. A tensor must stay open until the node is made. Enumerates the names.</summary>
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
  public void Add(string name, Tensor value) {
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

  private void Keep(string name, Action<NativeAttributes> setter) {
    names.Add(Require.NotNull(name, nameof(name)));
    setters.Add(setter);
  }
}

}
