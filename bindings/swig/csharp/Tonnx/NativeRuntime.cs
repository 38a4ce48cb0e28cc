using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// Loads the native libraries once, and converts their errors to exceptions.
internal static class NativeRuntime {
  private const string Variable = "TONNX_LIBRARY";
  private const string Shim = "libtonnx_csharp.so";
  private const string NativeFolder = "runtimes/linux-x64/native";
  private const int BindNow = 2;

  private static readonly Lazy<string> Failure = new Lazy<string>(Load, LazyThreadSafetyMode.ExecutionAndPublication);
  // May be called by native code at any time.
  private static readonly NativePINVOKE.ErrorDelegate OnError = Raise;

  /// Must be called before any other call into tonnx.
  internal static void Start() {
    if (Failure.Value != null)
      throw new TonnxException(Status.File, "DependencyError", Failure.Value, null);
  }

  internal static bool IsStarted => Failure.IsValueCreated && Failure.Value == null;

  /// Null, or why the libraries cannot be used.
  private static string Load() {
    return LoadTonnx() ?? LoadShim() ?? Connect();
  }

  /// A method of its own, because Mono may look for the library of NativePINVOKE when it compiles a method that uses
  /// it.
  [MethodImpl(MethodImplOptions.NoInlining)]
  private static string Connect() {
    try {
      NativePINVOKE.OnError(OnError);
      Host.Install();
      AppDomain.CurrentDomain.ProcessExit += Stop;
      AppDomain.CurrentDomain.DomainUnload += Stop;
      return null;
    } catch (Exception e)
        when (e is TypeInitializationException || e is DllNotFoundException || e is EntryPointNotFoundException) {
      return Shim + " does not fit this Tonnx.dll: " + e.GetBaseException().Message;
    }
  }

  /// Objects that are still open are finalized after this, when native code can no longer call the runtime.
  private static void Stop(object sender, EventArgs e) {
    Host.Uninstall();
    NativePINVOKE.OnError(null);
  }

  private static string LoadTonnx() {
    string given = Environment.GetEnvironmentVariable(Variable);
    if (string.IsNullOrEmpty(given))
      return null;
    string path = given;
    if (Directory.Exists(given)) {
      path = Path.Combine(given, "libtonnx.so");
      // An installed library without the files to build with it.
      if (!File.Exists(path) && File.Exists(path + ".0"))
        path += ".0";
    }
    string failure = Open(path);
    return failure == null ? null : "cannot load " + path + ", which " + Variable + " names: " + failure;
  }

  private static string LoadShim() {
    string assembly = typeof(NativeRuntime).Assembly.Location;  // empty if it was loaded from memory
    string folder = assembly.Length == 0 ? AppDomain.CurrentDomain.BaseDirectory : Path.GetDirectoryName(assembly);
    string path = Candidates(folder).FirstOrDefault(File.Exists) ?? Shim;
    string failure = Open(path);
    return failure == null ? null
                           : "cannot load " + Shim + ", looked for in " + folder + ", in " + NativeFolder +
                                 " of the NuGet package, and where the loader looks (LD_LIBRARY_PATH): " + failure +
                                 "; " + Variable + " may name libtonnx.so or its folder";
  }

  /// Beside the assembly; below it, where a build without a runtime identifier copies the libraries of a package; and
  /// in the package itself, whose assembly is in lib/netstandard2.0.
  private static IEnumerable<string> Candidates(string folder) {
    yield return Path.Combine(folder, Shim);
    yield return Path.Combine(folder, NativeFolder, Shim);
    yield return Path.Combine(folder, "..", "..", NativeFolder, Shim);
  }

  private static string Open(string path) {
    dlerror();
    return dlopen(path, BindNow) != IntPtr.Zero ? null : Marshal.PtrToStringAnsi(dlerror());
  }

  /// Called by native code, so nothing may be thrown.
  private static void Raise(IntPtr error) {
    NativePINVOKE.SWIGPendingException.Set(Read(error));
  }

  private static Exception Read(IntPtr error) {
    if (error == IntPtr.Zero)
      return new OutOfMemoryException();
    try {
      using (var native = new NativeError(error, true)) {
        var status = (Status)native.status();
        string name = native.class_name();
        var reasons = new List<Reason>();
        for (int i = 0; i < native.reason_count(); ++i)
          reasons.Add(new Reason(native.reason_operator(i), native.reason_text(i), native.reason_module(i),
                                 native.reason_source(i), native.reason_places(i)));
        long cause = native.cause();
        return new TonnxException(status, name.Length == 0 ? status + "Error" : name, native.message(), reasons,
                                  native.report(), cause >= 0 ? Host.Find<Exception>(cause) : null);
      }
    } catch (Exception e) {
      return e;
    }
  }

  [DllImport("libdl.so.2")]
  private static extern IntPtr dlopen(string path, int flags);
  [DllImport("libdl.so.2")]
  private static extern IntPtr dlerror();
}

}
