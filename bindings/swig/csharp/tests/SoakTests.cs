using System;
using System.IO;

namespace Tonnx.Tests {

internal static class SoakTests {
  private const double AllowedMegabytes = 8;

  [Case]
  private static void MemoryStaysLevel() {
    int count = Fixture.SoakCount;
    double early = 0;
    for (int i = 0; i < count; ++i) {
      if (i % 50 == 49)
        Expect.Refused(Status.Callback, () => Fixture.Export((graph, node, inputs) => throw new Exception("at times")));
      else
        Fixture.Export(Fixture.GatedSoftmax).Dispose();
      if (i == count / 10)
        early = Resident();
    }
    double late = Resident();
    Console.WriteLine("# {0} exports: {1:0.0} MB after the first tenth, {2:0.0} MB at the end", count, early, late);
    Expect.That(late - early < AllowedMegabytes,
                string.Format("{0:0.0} MB grew by less than {1} MB to {2:0.0} MB", early, AllowedMegabytes, late));
  }

  private static double Resident() {
    Fixture.Collect();
    return long.Parse(File.ReadAllText("/proc/self/statm").Split(' ')[1]) * 4096.0 / 1e6;
  }
}

}
