using System;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>One registration.</summary>
public sealed class RegistryEntry {
  internal RegistryEntry(string name, int since, bool isCustom) {
    Name = name;
    Since = since;
    IsCustom = isCustom;
  }

  /// <summary>"domain::op" or "domain::op.overload".</summary>
  public string Name { get; }
  /// <summary>The first opset that it supports.</summary>
  public int Since { get; }
  /// <summary>True for a symbolic of the caller, false for a built-in lowering.</summary>
  public bool IsCustom { get; }
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

  /// <summary>Every registration, by name, then opset.</summary>
  public IReadOnlyList<RegistryEntry> Entries => handle.Use(r => {
    var all = new RegistryEntry[r.count()];
    for (int i = 0; i < all.Length; ++i) all[i] = new RegistryEntry(r.name(i), r.since(i), r.is_custom(i));
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
