using System;
using System.Diagnostics;
using System.IO;

namespace Tonnx.Tests {

/// This program, started again by a test, for what needs a process of its own.
internal static class Child {
  internal static readonly string Folder = AppDomain.CurrentDomain.BaseDirectory;

  /// What `tests.exe --child DEED` does; the exit code.
  internal static int Run(string deed) {
    switch (deed) {
      case "load":
        return Load();
      case "leave-open":
        return LeaveOpen();
      case "exit-inside":
        return ExitInside();
      default:
        throw new ArgumentException("no child does " + deed);
    }
  }

  /// The exit code, a newline, what was printed.
  internal static string Start(string folder, string library, string deed) {
    string host = Process.GetCurrentProcess().MainModule.FileName;
    var info = new ProcessStartInfo(host, "\"" + Path.Combine(folder, "tests.exe") + "\" --child " + deed) {
      RedirectStandardOutput = true,
      UseShellExecute = false,
      WorkingDirectory = Path.GetTempPath(),
    };
    info.EnvironmentVariables.Remove("TONNX_LIBRARY");
    if (library != null)
      info.EnvironmentVariables["TONNX_LIBRARY"] = library;
    using (Process process = Process.Start(info)) {
      string output = process.StandardOutput.ReadToEnd();
      process.WaitForExit();
      return process.ExitCode + "\n" + output;
    }
  }

  /// 0 if the library works; 3 if a TonnxException told why not, on two separate calls.
  private static int Load() {
    int refused = 0;
    for (int i = 0; i < 2; ++i) {
      try {
        new Args().Dispose();
      } catch (TonnxException e) {
        ++refused;
        Console.WriteLine(e.Status + ": " + e.Message);
      }
    }
    return refused == 0 ? 0 : refused == 2 ? 3 : 4;
  }

  private static int LeaveOpen() {
    for (int i = 0; i < 5; ++i) {
      Registry registry = Fixture.Symbolics();
      Model model = Fixture.Archive().Export(Fixture.Inputs(), null, registry);
      Expect.That(model.Opset > 0, "the model is there");
    }
    return 0;
  }

  private static int ExitInside() {
    Fixture.Export((graph, node, inputs) => {
      Environment.Exit(0);
      return null;
    });
    return 1;
  }
}

}
