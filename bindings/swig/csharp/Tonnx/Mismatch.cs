using System;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Operators of a program whose results in ONNX Runtime differ
/// from LibTorch's. Several threads may use it at once.</summary>
public sealed class Mismatch : IDisposable {
  private readonly Handle<NativeMismatch> handle;

  internal Mismatch(NativeMismatch native) {
    handle = new Handle<NativeMismatch>(nameof(Mismatch), native);
  }

  /// <summary>True if the model, or an operator on its own, differs.</summary>
  public bool Found => handle.Use(m => m.found());
  /// <summary>Ids of the parts that differ and that have no part
  /// that differs: one digit per half, "0" for the first.</summary>
  public IReadOnlyList<string> Leaves => handle.Use(m => m.leaves());
  /// <summary>The tree of the parts and the operators that differ, for people.</summary>
  public string Text => handle.Use(m => m.text());
  /// <summary>The same as a JSON object.</summary>
  public string Json => handle.Use(m => m.json());

  /// <summary>Writes a part as a folder in the format of ONNX's own tests: model.onnx, and input_I.pb and output_I.pb
  /// in test_data_set_0.</summary> <param name="id">Id of the part; "" is the whole.</param> <param
  /// name="folder">Created if needed.</param>
  public void SavePart(string id, string folder) {
    Require.NotNull(id, nameof(id));
    Require.NotNull(folder, nameof(folder));
    handle.Use(m => m.save_part(id, folder));
  }

  /// <summary>The operators of a part that were converted, with inputs and outputs where it was cut off.</summary>
  /// <param name="id">Id of the part; "" is the whole.</param>
  public Contents ProgramContents(string id) {
    Require.NotNull(id, nameof(id));
    return new Contents(handle.Use(m => m.program_contents(id)));
  }

  /// <summary>The model of a part, which is exported again.</summary>
  /// <param name="id">Id of the part; "" is the whole.</param>
  public Contents ModelContents(string id) {
    Require.NotNull(id, nameof(id));
    return new Contents(handle.Use(m => m.model_contents(id)));
  }

  /// <summary>Frees the object; a second call does nothing.</summary>
  public void Dispose() {
    handle.Close();
  }
}

}
