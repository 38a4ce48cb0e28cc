package org.tonnx;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.tonnx.internal.Native;
import org.tonnx.internal.NativeArgs;
import org.tonnx.internal.NativeOutputs;
import org.tonnx.internal.NativeVerifyOptions;

/** Versions, and calls on ONNX files. */
public final class Tonnx {
  private Tonnx() {}

  /**
   * The version of the native library.
   *
   * @return {@code "0.1.0"}
   */
  public static String version() {
    NativeLibrary.require();
    return Native.version();
  }

  /**
   * The version of the native library as one number.
   *
   * @return {@code 0x000100} for 0.1.0
   */
  public static int versionNumber() {
    NativeLibrary.require();
    return Native.versionNumber();
  }

  /**
   * The versions of what the native library is built with.
   *
   * @return {@code "LibTorch 2.11.0, onnx 1.23.2"}
   */
  public static String buildInfo() {
    NativeLibrary.require();
    return Native.buildInfo();
  }

  /**
   * The version of the LibTorch that the process has loaded, itself or through tonnx.
   *
   * @return {@code 0x020B00} for 2.11.0; 0 if there is none, if there are several, or if it is older than 2.7
   */
  public static int libtorchVersion() {
    NativeLibrary.require();
    return Native.libtorchVersion();
  }

  /**
   * Loads the LibTorch of a folder; must be called before anything else loads LibTorch. It stays loaded, even if tonnx
   * has no backend for its version and this throws a {@link TonnxException}.
   *
   * @param folder a folder that contains libtorch_cpu.so or lib/libtorch_cpu.so
   */
  public static void loadLibtorch(Path folder) {
    Objects.requireNonNull(folder, "folder");
    NativeLibrary.require();
    Native.loadLibtorch(folder.toString());
  }

  /**
   * The oldest target opset.
   *
   * @return the opset
   */
  public static int oldestOpset() {
    NativeLibrary.require();
    return Native.opsetOldest();
  }

  /**
   * The newest target opset.
   *
   * @return the opset
   */
  public static int newestOpset() {
    NativeLibrary.require();
    return Native.opsetNewest();
  }

  /**
   * The target opset where none is set.
   *
   * @return the opset
   */
  public static int defaultOpset() {
    NativeLibrary.require();
    return Native.opsetDefault();
  }

  /**
   * Runs the ONNX checker on a file with its external data; a {@link TonnxException} with its text if it is invalid.
   *
   * @param path the file
   */
  public static void checkFile(Path path) {
    Objects.requireNonNull(path, "path");
    NativeLibrary.require();
    Native.checkFile(path.toString());
  }

  /**
   * Runs a model file in ONNX Runtime.
   *
   * @param path the file
   * @param inputs the model's inputs by position or, as keyword arguments, by name
   * @param options of these the provider, the runtime libraries and the observer are used; may be null
   * @return the outputs in order, which the caller closes; the items of a sequence are NAME.0, NAME.1, ...
   */
  public static List<NamedTensor> runFile(Path path, Args inputs, VerifyOptions options) {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(inputs, "inputs");
    NativeLibrary.require();
    NativeVerifyOptions how = options == null ? null : options.peer();
    NativeOutputs outputs = null;
    try (Handle.Use<NativeArgs> given = inputs.handle.use()) {
      outputs = Native.runFile(path.toString(), given.peer(), how);
      List<NamedTensor> results = new ArrayList<>();
      try (Args list = new Args(outputs.tensors())) {
        for (String name : Text.list(outputs.names())) {
          results.add(new NamedTensor(name, list.tensor(results.size())));
        }
      } catch (Throwable e) {
        results.forEach(NamedTensor::close);
        throw e;
      }
      return results;
    } finally {
      if (outputs != null) {
        outputs.delete();
      }
      if (how != null) {
        how.delete();
      }
    }
  }

  /**
   * Infers the types and shapes of the values of a model file, as ONNX does, and writes the model with them.
   *
   * @param path the model
   * @param result the file to write; in the same folder if the model has external data
   */
  public static void inferFile(Path path, Path result) {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(result, "result");
    NativeLibrary.require();
    Native.inferFile(path.toString(), result.toString());
  }

  /**
   * Whether the calling thread is inside an export or a trace: in a symbolic, or in code that is recorded.
   *
   * @return true if it is
   */
  public static boolean isExporting() {
    NativeLibrary.require();
    return Native.isExporting();
  }

  /**
   * Writes a report as SARIF.
   *
   * @param path a file NAME.sarif
   * @param report the result of {@link Model#report} or {@link TonnxException#report}
   */
  public static void saveReport(Path path, String report) {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(report, "report");
    NativeLibrary.require();
    Native.saveReport(path.toString(), report);
  }

  /**
   * A model file as text; its weights' bytes are not read.
   *
   * @param path the file
   * @param format the form
   * @return the text
   */
  public static String fileText(Path path, TextFormat format) {
    Objects.requireNonNull(path, "path");
    int code = format.code;
    NativeLibrary.require();
    return Native.fileText(path.toString(), code);
  }

  /**
   * A picture of a model file.
   *
   * @param path the file
   * @param format SVG or HTML
   * @param mismatch a result of {@link Mismatch#json}, whose operators that differ are marked, or null
   * @return the picture
   */
  public static String filePicture(Path path, TextFormat format, String mismatch) {
    Objects.requireNonNull(path, "path");
    int code = format.code;
    NativeLibrary.require();
    return Native.filePicture(path.toString(), code, mismatch == null ? "" : mismatch);
  }
}
