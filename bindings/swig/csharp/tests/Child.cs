using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace Tonnx.Tests {

/// This program, started again by a test, for what needs a process of its own.
internal static class Child {
  internal static readonly string Folder = AppDomain.CurrentDomain.BaseDirectory;

  /// Runs `tests.exe --child DEED`. Returns the exit code.
  internal static int Run(string deed) {
    switch (deed) {
      case "load":
        return Load();
      case "leave-open":
        return LeaveOpen();
      case "exit-inside":
        return ExitInside();
      case "large-text":
        return LargeText();
      case "failing-new":
        return AllocationTests.Fail();
      default:
        return EndDuring(deed.Split(' '));
    }
  }

  /// The exit code, a newline, what was printed.
  internal static string Start(string folder, string library, string deed, bool smallHeap = false,
                               string preload = null) {
    string host = Process.GetCurrentProcess().MainModule.FileName;
    var info = new ProcessStartInfo(host, "\"" + Path.Combine(folder, "tests.exe") + "\" --child \"" + deed + "\"") {
      RedirectStandardOutput = true,
      UseShellExecute = false,
      WorkingDirectory = Path.GetTempPath(),
    };
    info.EnvironmentVariables.Remove("TONNX_LIBRARY");
    if (library != null)
      info.EnvironmentVariables["TONNX_LIBRARY"] = library;
    if (smallHeap) {
      info.EnvironmentVariables["MONO_GC_PARAMS"] = "max-heap-size=96m";
      info.EnvironmentVariables["DOTNET_GCHeapHardLimit"] = "6000000";  // hexadecimal
    }
    if (preload != null)
      info.EnvironmentVariables["LD_PRELOAD"] = preload;
    using (Process process = Process.Start(info)) {
      string output = process.StandardOutput.ReadToEnd();
      process.WaitForExit();
      return process.ExitCode + "\n" + output;
    }
  }

  /// Returns 0 if the library works; 3 if two separate calls threw a TonnxException.
  private static int Load() {
    int refused = 0;
    for (int i = 0; i < 2; ++i) {
      try {
        new Args().Dispose();
      } catch (TonnxException e) {
        ++refused;
        Console.WriteLine(e.Status + ": " + e.Message);
        Console.WriteLine(e.ClassName + " " + e.IsA("DependencyError") + e.IsA("FileError") +
                          e.IsA("OnnxExporterError") + e.IsA("ArgumentError"));
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

  /// A text larger than the heap; the library works after the failure.
  private static int LargeText() {
    string large = new string('x', 6 << 20);
    using (Model model = Fixture.Export((graph, node, inputs) => {
      var attributes = new Attributes();
      for (int i = 0; i < 8; ++i) attributes.Add("text" + i, large);
      Value made = graph.Op("custom_domain::Large", new[] { inputs[0] }, attributes);
      made.CopyType(inputs[0]);
      return new[] { made };
    })) {
      for (int i = 0; i < 3; ++i) {
        try {
          Console.WriteLine(model.Text(TextFormat.Full).Length);
        } catch (OutOfMemoryException) {
          Console.WriteLine("out of memory");
        }
      }
      Console.WriteLine(model.Opset);
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

  /// Returns after a delay; background threads repeat the call without end. If it throws, the process fails.
  private static int EndDuring(string[] kindAndMilliseconds) {
    Action call = ExitTests.Calls[kindAndMilliseconds[0]];
    // The host must not load LibTorch while the process exits.
    if (kindAndMilliseconds[0] == "trace")
      new TorchShim().Dispose();
    for (int i = 0; i < 4; ++i) {
      new Thread(() => {
        try {
          while (true) call();
        } catch (ThreadAbortException) {
          // Mono ends threads this way when the process exits.
        } catch (Exception e) {
          Console.WriteLine(e);
          Environment.FailFast(e.Message);
        }
      }) { IsBackground = true }
          .Start();
    }
    Thread.Sleep(int.Parse(kindAndMilliseconds[1]));
    return 0;
  }
}

}
