using System;
using System.Collections.Generic;
using System.Text;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>One registration.</summary>
public sealed class RegistryEntry {
  internal RegistryEntry(string name, int since, bool isCustom, string kind) {
    Name = name;
    Since = since;
    IsCustom = isCustom;
    Kind = kind;
  }

  /// <summary>"domain::op" or "domain::op.overload".</summary>
  public string Name { get; }
  /// <summary>The first opset that it supports.</summary>
  public int Since { get; }
  /// <summary>True for a symbolic of the caller, false for a built-in lowering.</summary>
  public bool IsCustom { get; }
  /// <summary>How the operator is converted: "lowering", "symbolic" or "function" by a registration; by passes "write",
  /// "container", "constant" and "quantised".</summary>
  public string Kind { get; }
}

/// <summary>Maps operators to lowerings by opset: the built-in lowerings and the caller's symbolics. Several exports
/// may share one; adding or removing while another call uses it throws InvalidOperationException.</summary>
public sealed class Registry : IDisposable {
  private readonly Handle<NativeRegistry> handle;

  /// <summary>The built-in lowerings.</summary>
  public Registry() {
    NativeRuntime.Start();
    handle = new Handle<NativeRegistry>(nameof(Registry), new NativeRegistry());
  }

  internal Handle<NativeRegistry> Handle => handle;

  /// <summary>Every operator that an export converts, by name, then opset.</summary>
  public IReadOnlyList<RegistryEntry> Entries => handle.Use(r => {
    var all = new RegistryEntry[r.count()];
    for (int i = 0; i < all.Length; ++i) all[i] = new RegistryEntry(r.name(i), r.since(i), r.is_custom(i), r.kind(i));
    return all;
  });

  /// <summary>Registers a symbolic for "domain::op" (every overload) or "domain::op.overload", for targets from opset
  /// <paramref name="since"/> on. It takes precedence over every built-in lowering of that name; among symbolics the
  /// newest one not above the target is called. Registering the same name and opset again replaces the symbolic. The
  /// delegate is kept alive until the registry and all exports that use it have released it.</summary>
  public Registry Add(string name, int since, Symbolic symbolic) {
    Require.NotNull(name, nameof(name));
    Require.NotNull(symbolic, nameof(symbolic));
    handle.Change(r => {
      long number = Host.Hold(symbolic);
      try {
        r.add(name, since, number);
      } catch {
        Host.Release(number);
        throw;
      }
    });
    return this;
  }

  /// <summary>Adds ONNX functions in ONNX text format, for symbolics to call by domain and name.</summary>
  public Registry AddFunctions(string text) {
    Require.NotNull(text, nameof(text));
    return AddFunctions(Encoding.UTF8.GetBytes(text));
  }

  /// <summary>Adds ONNX functions in ONNX text format and converts the operator "domain::op" to a call of the last one,
  /// for targets from opset <paramref name="since"/> on; 0: for every target.</summary>
  public Registry AddFunctions(string text, string name, int since = 0) {
    Require.NotNull(text, nameof(text));
    return AddFunctions(Encoding.UTF8.GetBytes(text), name, since);
  }

  /// <summary>Adds an ONNX function, a serialized FunctionProto, or several in ONNX text format (UTF-8). Calls of them
  /// are nodes of their domain and name; the model contains those that it calls, and those that they call. Throws
  /// TonnxException with Status.Argument if the bytes are not functions, a function calls itself, or another one of its
  /// domain and name is registered.</summary>
  public Registry AddFunctions(byte[] source) {
    return Functions(source, "", 0);
  }

  /// <summary>The same, and converts the operator "domain::op" to a call of the last function, for targets from opset
  /// <paramref name="since"/> on; 0: for every target. Arguments are passed as the inputs and attributes of the same
  /// names, other tensors as the other inputs, in order.</summary>
  public Registry AddFunctions(byte[] source, string name, int since = 0) {
    Require.NotNull(name, nameof(name));
    return Functions(source, name, since);
  }

  private Registry Functions(byte[] source, string name, int since) {
    Require.NotNull(source, nameof(source));
    using (var pinned = new Pinned(source))
        handle.Change(r => r.add_functions(pinned.Address, source.LongLength, name, since));
    return this;
  }

  /// <summary>Declares the arguments of a symbolic: a kind for each, in the order of the schema, "v,i,is,f". v is any
  /// value, i f b s an int, float, bool or string, t a tensor or number, is fs ss a list, and none not used. All but v
  /// and none must be constants, or None. An export with other arguments fails before the symbolic is called, with
  /// Status.Callback and the argument, its value and type.</summary>
  public Registry SetArguments(string name, int since, string kinds) {
    Require.NotNull(name, nameof(name));
    Require.NotNull(kinds, nameof(kinds));
    handle.Change(r => r.set_arguments(name, since, kinds));
    return this;
  }

  /// <summary>Removes a symbolic; a built-in lowering of that name applies again.</summary>
  public Registry Remove(string name, int since) {
    Require.NotNull(name, nameof(name));
    handle.Change(r => r.remove(name, since));
    return this;
  }

  /// <summary>Frees the object; a second call does nothing.</summary>
  public void Dispose() {
    handle.Close();
  }
}

}
