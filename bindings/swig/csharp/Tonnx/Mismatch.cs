using System;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Which operators of a program give other values in ONNX Runtime than in LibTorch. Any thread may use it,
/// several at once too.</summary>
public sealed class Mismatch : IDisposable {
  private readonly Handle<NativeMismatch> handle;

  internal Mismatch(NativeMismatch native) {
    handle = new Handle<NativeMismatch>(nameof(Mismatch), native);
  }

  /// <summary>Whether the model, or an operator on its own, differs.</summary>
  public bool Found => handle.Use(m => m.found());
  /// <summary>The ids of the parts of the program that differ and have no part that does: a digit a half, "0" the
  /// first.</summary>
  public IReadOnlyList<string> Leaves => handle.Use(m => m.leaves());
  /// <summary>The tree of the parts, those that differ and their operators, for people.</summary>
  public string Text => handle.Use(m => m.text());
  /// <summary>The same as a JSON object.</summary>
  public string Json => handle.Use(m => m.json());

  /// <summary>Writes a part as a folder of ONNX's own tests: model.onnx, and input_I.pb and output_I.pb in
  /// test_data_set_0.</summary> <param name="id">The part's; "" is the whole.</param> <param name="folder">It is made
  /// if need be.</param>
  public void SavePart(string id, string folder) {
    Require.NotNull(id, nameof(id));
    Require.NotNull(folder, nameof(folder));
    handle.Use(m => m.save_part(id, folder));
  }

  /// <summary>Frees it; a second time does nothing.</summary>
  public void Dispose() {
    handle.Close();
  }
}

}
