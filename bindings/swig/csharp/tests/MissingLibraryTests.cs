using System;
using System.Diagnostics;
using System.IO;

namespace Tonnx.Tests {

/// Each case starts this program again where a native library is missing.
internal static class MissingLibraryTests {
  private static readonly string Here = AppDomain.CurrentDomain.BaseDirectory;

  /// The second program: 0 if the library works; 3 if a TonnxException told why not, on two separate calls.
  internal static int Load() {
    int refused = 0;
    for (int i = 0; i < 2; ++i) {
      try {
        Library.Version.ToString();
        new Args().Dispose();
      } catch (TonnxException e) {
        ++refused;
        Console.WriteLine(e.Status + ": " + e.Message);
      }
    }
    return refused == 0 ? 0 : refused == 2 ? 3 : 4;
  }

  [Case]
  private static void TheProgramWorksWhenNothingIsMissing() {
    Expect.Equal("0", Start(Here, Environment.GetEnvironmentVariable("TONNX_LIBRARY")).Split('\n')[0]);
  }

  [Case]
  private static void TheVariableNamesAFileThatIsNotThere() {
    string output = Start(Here, "/no/such/libtonnx.so");
    Expect.Contains("3\nFile: ", output);
    Expect.Contains("/no/such/libtonnx.so", output);
    Expect.Contains("TONNX_LIBRARY", output);
  }

  [Case]
  private static void TheVariableNamesAnEmptyFolder() {
    string folder = Fixture.NewFolder();
    string output = Start(Here, folder);
    Expect.Contains("3\nFile: ", output);
    Expect.Contains(Path.Combine(folder, "libtonnx.so"), output);
    Directory.Delete(folder, true);
  }

  [Case]
  private static void TheBindingsOwnLibraryIsNotThere() {
    string folder = Fixture.NewFolder();
    foreach (string file in new[] { "Tonnx.dll", "tests.exe" })
      File.Copy(Path.Combine(Here, file), Path.Combine(folder, file));
    string output = Start(folder, Environment.GetEnvironmentVariable("TONNX_LIBRARY"));
    Expect.Contains("3\nFile: ", output);
    Expect.Contains("libtonnx_csharp.so", output);
    Directory.Delete(folder, true);
  }

  /// The exit code, a newline, what was printed.
  private static string Start(string folder, string library) {
    string host = Process.GetCurrentProcess().MainModule.FileName;
    var info = new ProcessStartInfo(host, "\"" + Path.Combine(folder, "tests.exe") + "\" --load") {
      RedirectStandardOutput = true,
      UseShellExecute = false,
      WorkingDirectory = Path.GetTempPath(),
    };
    info.EnvironmentVariables.Remove("TONNX_LIBRARY");
    if (library != null) info.EnvironmentVariables["TONNX_LIBRARY"] = library;
    using (Process process = Process.Start(info)) {
      string output = process.StandardOutput.ReadToEnd();
      process.WaitForExit();
      return process.ExitCode + "\n" + output;
    }
  }
}

}
