using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Functions without an object.</summary>
public static class Library {
  /// <summary>tonnx's version, "0.1.0".</summary>
  public static string Version => Started(Native.version);
  /// <summary>tonnx's version as one number: 0x000100 is 0.1.0.</summary>
  public static int VersionNumber => Started(Native.version_number);
  /// <summary>Versions of the libraries that tonnx is built with, "LibTorch 2.11.0, onnx 1.23.2".</summary>
  public static string BuildInfo => Started(Native.build_info);
  /// <summary>The version of the LibTorch that the process has loaded, itself or through tonnx: 0x020B00 is 2.11.0. 0
  /// if there is none, if there are several, or if it is older than 2.7.</summary>
  public static int LibTorchVersion => Started(Native.libtorch_version);
  /// <summary>The oldest supported opset.</summary>
  public static int OldestOpset => Started(Native.opset_oldest);
  /// <summary>The newest supported opset.</summary>
  public static int NewestOpset => Started(Native.opset_newest);
  /// <summary>The opset of an export if the options do not set it.</summary>
  public static int DefaultOpset => Started(Native.opset_default);

  /// <summary>Bits of an element; 0 for Undefined. Elements of 4 and 2 bits are packed, the first one in the lowest
  /// bits of a byte.</summary>
  public static int BitsOf(Dtype dtype) {
    return Started(() => Native.dtype_bits((int)dtype));
  }

  /// <summary>Loads the LibTorch of a folder, which contains libtorch_cpu.so or lib/libtorch_cpu.so. Must be called
  /// before anything else loads LibTorch. It stays loaded, even if tonnx has no backend for its version.</summary>
  public static void LoadLibTorch(string folder) {
    Require.NotNull(folder, nameof(folder));
    NativeRuntime.Start();
    Native.load_libtorch(folder);
  }

  /// <summary>Loads a shared library that registers operators with LibTorch, for archives that use them.
  /// Affects the whole process.</summary>
  public static void LoadOperators(string path) {
    Require.NotNull(path, nameof(path));
    NativeRuntime.Start();
    Native.load_operators(path);
  }

  /// <summary>Registers the schema of an operator, "my_ops::foo(Tensor x, float alpha) -> Tensor", which is enough to
  /// load and export an archive that uses it. Affects the whole process.</summary>
  public static void RegisterOperator(string schema) {
    Require.NotNull(schema, nameof(schema));
    NativeRuntime.Start();
    Native.register_operator(schema);
  }

  /// <summary>Runs the ONNX checker on a file and its external data.</summary>
  public static void CheckFile(string path) {
    Require.NotNull(path, nameof(path));
    NativeRuntime.Start();
    Native.check_file(path);
  }

  /// <summary>Runs a model file in ONNX Runtime and returns its outputs with their names, in order; the items of a
  /// sequence are NAME.0, NAME.1, ... The arguments go to the model's inputs by position or, as keyword arguments, by
  /// name. Of the options, the provider, the runtime libraries and the observer are used.</summary>
  public static IReadOnlyList<KeyValuePair<string, TensorData>> RunFile(string path, Args inputs,
                                                                        VerifyOptions options = null) {
    Require.NotNull(path, nameof(path));
    Require.NotNull(inputs, nameof(inputs));
    NativeRuntime.Start();
    var results = new List<KeyValuePair<string, TensorData>>();
    using (NativeVerifyOptions how = options?.ToNative()) using (
        NativeOutputs outputs =
            inputs.Handle.Use(a => Native.run_file(path, a, how))) using (var list = new Args(outputs.tensors())) {
      try {
        foreach (string name in outputs.names())
          results.Add(new KeyValuePair<string, TensorData>(name, list.Get(results.Count)));
      } catch {
        foreach (var result in results) result.Value.Dispose();
        throw;
      }
    }
    return results;
  }

  /// <summary>Infers the types and shapes of the values of a model file, as ONNX does, and writes the model with them
  /// to another file, which must be in the same folder if the model has external data.</summary>
  public static void InferFile(string path, string result) {
    Require.NotNull(path, nameof(path));
    Require.NotNull(result, nameof(result));
    NativeRuntime.Start();
    Native.infer_file(path, result);
  }

  /// <summary>True if this thread is inside an export or a trace: in a symbolic, or in code that is recorded.</summary>
  public static bool IsExporting => Started(Native.is_exporting);

  /// <summary>Writes a report, of a model or of an exception, as SARIF to a file NAME.sarif.</summary>
  public static void SaveReport(string path, string report) {
    Require.NotNull(path, nameof(path));
    Require.NotNull(report, nameof(report));
    NativeRuntime.Start();
    Native.save_report(path, report);
  }

  /// <summary>Returns a model file as text. Does not read the bytes of the weights.</summary>
  public static string FileText(string path, TextFormat format = TextFormat.Short) {
    Require.NotNull(path, nameof(path));
    NativeRuntime.Start();
    return Native.file_text(path, (int)format);
  }

  /// <summary>
  /// Returns a picture of a model file (Svg or Html). The operators that differ in <paramref name="mismatch"/>, a
  /// Mismatch.Json, are marked; it may be null.
  /// </summary>
  public static string FilePicture(string path, TextFormat format = TextFormat.Html, string mismatch = null) {
    Require.NotNull(path, nameof(path));
    NativeRuntime.Start();
    return Native.file_picture(path, (int)format, mismatch ?? "");
  }

  private static T Started<T>(System.Func<T> call) {
    NativeRuntime.Start();
    return call();
  }
}

}
