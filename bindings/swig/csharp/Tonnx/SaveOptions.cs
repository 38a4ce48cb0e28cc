using Tonnx.Internal;

namespace Tonnx {

/// <summary>Where the weights of a saved model are stored.</summary>
public enum ExternalData {
  /// <summary>Beside the model if the model would exceed 2 GiB.</summary>
  Auto = 0,
  /// <summary>In one file NAME.onnx.data beside the model.</summary>
  Yes = 1,
  /// <summary>All in one file; refused above 2 GiB.</summary>
  No = 2,
  /// <summary>No weights are written: the model refers to the .pt file, which must be in the same folder.</summary>
  Archive = 3,
  /// <summary>One file per weight, in a folder NAME_initializers
  /// beside NAME.onnx, or FILE.initializers beside another FILE.</summary>
  Each = 4
}

/// <summary>How to save a model. A plain object: <see cref="Model.Save(string, SaveOptions)"/> reads it.</summary>
public sealed class SaveOptions {
  /// <summary>Where the weights are stored. Default: <see cref="ExternalData.Auto"/>.</summary>
  public ExternalData ExternalData { get; set; } = ExternalData.Auto;
  /// <summary>Follows and cancels the calls. Default: none.</summary>
  public Observer Observer { get; set; }

  internal NativeSaveOptions ToNative() {
    NativeRuntime.Start();
    var native = new NativeSaveOptions();
    try {
      native.external_data((int)ExternalData);
      Observer?.Lend(native.observer);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

}
