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
  /// <summary>The first opset it serves.</summary>
  public int Since { get; }
  /// <summary>Whether it is the caller's, not built in.</summary>
  public bool IsCustom { get; }
}

/// <summary>Which lowering serves which operator at which opset: the built-in ones and the caller's symbolics. Exports
/// may share one; adding and removing while another call uses it is an InvalidOperationException.</summary>
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
  /// <paramref name="since"/> on. It wins over every built-in of that name; among symbolics the newest not above the
  /// target wins. The same name and opset again replaces. The delegate is kept alive until the registry and all exports
  /// that use it have let go.</summary>
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

  /// <summary>Removes a symbolic; a built-in of that name is in force again.</summary>
  public Registry Remove(string name, int since) {
    Require.NotNull(name, nameof(name));
    handle.Change(r => r.remove(name, since));
    return this;
  }

  /// <summary>Frees it; a second time does nothing.</summary>
  public void Dispose() {
    handle.Close();
  }
}

}
