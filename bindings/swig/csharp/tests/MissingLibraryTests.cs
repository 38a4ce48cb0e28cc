using System;
using System.IO;

namespace Tonnx.Tests {

/// Each case starts this program again where a native library is missing.
internal static class MissingLibraryTests {
  [Case]
  private static void TheProgramWorksWhenNothingIsMissing() {
    Expect.Equal("0\n", Child.Start(Child.Folder, Environment.GetEnvironmentVariable("TONNX_LIBRARY"), "load"));
  }

  [Case]
  private static void TheVariableNamesAFileThatIsNotThere() {
    string output = Child.Start(Child.Folder, "/no/such/libtonnx.so", "load");
    Expect.Contains("3\nFile: ", output);
    Expect.Contains("/no/such/libtonnx.so", output);
    Expect.Contains("TONNX_LIBRARY", output);
    Expect.Contains("DependencyError TrueTrueTrueFalse", output);
  }

  [Case]
  private static void TheVariableNamesAnEmptyFolder() {
    string folder = Fixture.NewFolder();
    string output = Child.Start(Child.Folder, folder, "load");
    Expect.Contains("3\nFile: ", output);
    Expect.Contains(Path.Combine(folder, "libtonnx.so"), output);
    Directory.Delete(folder, true);
  }

  [Case]
  private static void TheBindingsOwnLibraryIsNotThere() {
    string folder = Fixture.NewFolder();
    foreach (string file in new[] { "Tonnx.dll", "tests.exe", "tests.runtimeconfig.json" })
      if (File.Exists(Path.Combine(Child.Folder, file)))
        File.Copy(Path.Combine(Child.Folder, file), Path.Combine(folder, file));
    string output = Child.Start(folder, Environment.GetEnvironmentVariable("TONNX_LIBRARY"), "load");
    Expect.Contains("3\nFile: ", output);
    Expect.Contains("libtonnx_csharp.so", output);
    Directory.Delete(folder, true);
  }
}

}
