using System;
using System.Linq;
using System.Runtime.InteropServices;

namespace Tonnx.Tests {

/// Allocations of native code that fail, in a process with the library of TONNX_FAILING_NEW preloaded. Not in calls
/// that create JSON, whose values allocate in their destructors.
internal static class AllocationTests {
  [Case]
  private static void NativeOnesThatFailAreExceptions() {
    Expect.Equal("0\nTrue\nTrue\n", Child.Start(Child.Folder, Environment.GetEnvironmentVariable("TONNX_LIBRARY"),
                                                "failing-new", false, Fixture.Variable("TONNX_FAILING_NEW")));
  }

  /// In the child.
  internal static int Fail() {
    string path = Fixture.Variable("TONNX_EXPORTED");
    Console.WriteLine(0 < Repeat(() => {
                        using (TorchProgram program = TorchProgram.Load(path)) using (var none = new Args()) using (
                            Contents contents = program.Contents(none)) {
                          foreach (Node node in contents.Graph.Nodes) {
                            foreach (Value value in node.Inputs) GC.KeepAlive(value.Type);
                            foreach (Value value in node.Attributes) GC.KeepAlive(value.Kind);
                          }
                        }
                      }, 1));
    Console.WriteLine(0 < Repeat(() => {
                        using (TensorData tensor =
                                   TensorData.From(new[] { 1f, 2, 3 }, 3)) using (Args args = new Args().Add(tensor)) {
                          Expect.Equal(3L, tensor.Dims.Single());
                          Expect.Equal(1, args.Count);
                        }
                      }, 1, 2, 3, long.MaxValue));
    return 0;
  }

  /// Repeats a call while so many of its allocations fail, at later and later ones. Passes on any exception but those
  /// of memory. Returns how often memory ran out.
  private static int Repeat(Action call, params long[] failures) {
    int count = 0;
    call();  // compiles what it calls
    foreach (long fail in failures) {
      for (long succeed = 0;; succeed += 1 + succeed / 16) {
        failing_new(succeed, fail);
        try {
          call();
        } catch (TonnxException e) when (e.Status == Status.Memory) {
          failing_new(0, 0);
          ++count;
          continue;
        } catch (OutOfMemoryException) {
          failing_new(0, 0);
          ++count;
          continue;
        }
        if (failing_new(0, 0) == 0)
          break;
      }
    }
    return count;
  }

  [DllImport("libfailing_new.so")]
  private static extern long failing_new(long succeed, long fail);
}

}
