using System;

namespace Tonnx.Tests {

/// A process ends as it was told to, whatever is still open then.
internal static class ExitTests {
  [Case]
  private static void WithOpenHandles() {
    EndsWell("leave-open");
  }

  [Case]
  private static void InsideACallback() {
    EndsWell("exit-inside");
  }

  private static void EndsWell(string deed) {
    for (int i = 0; i < 5; ++i)
      Expect.Equal("0\n", Child.Start(Child.Folder, Environment.GetEnvironmentVariable("TONNX_LIBRARY"), deed));
  }
}

}
