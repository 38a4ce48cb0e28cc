using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Tonnx.Tests {

/// Misuse, garbage collection and threads: an exception at worst, never a crash.
internal static class FaultTests {
  [Case]
  private static void ATextThatDoesNotFitIsAnOutOfMemoryException() {
    Expect.Equal("0\nout of memory\nout of memory\nout of memory\n15\n",
                 Child.Start(Child.Folder, Environment.GetEnvironmentVariable("TONNX_LIBRARY"), "large-text", true));
  }

  [Case]
  private static void NullIsRefusedEverywhere() {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (
        Registry registry = Fixture.Symbolics()) using (Model model = program.Export(inputs, null, registry)) {
      IsNull(() => TorchProgram.Load((string)null));
      IsNull(() => TorchProgram.Load((byte[])null));
      IsNull(() => program.Export(null));
      IsNull(() => new TensorData(Dtype.Float32, null, new byte[0]));
      IsNull(() => new TensorData(Dtype.Float32, new long[0], null));
      IsNull(() => TensorData.From((float[])null, 1));
      IsNull(() => inputs.Add((TensorData)null));
      IsNull(() => inputs.Add((string)null));
      IsNull(() => inputs.Key(null));
      IsNull(() => Args.Load(null));
      IsNull(() => registry.Add(null, 9, Fixture.GatedSoftmax));
      IsNull(() => registry.Add(Fixture.Operator, 9, null));
      IsNull(() => registry.Remove(null, 9));
      IsNull(() => model.Save(null));
      IsNull(() => model.Write(null));
      IsNull(() => model.Verify(null, inputs));
      IsNull(() => new Attributes().Add("a", (string)null));
      IsNull(() => new Attributes().Add(null, 1));
      IsNull(() => new Options().DynamicAxes.Add(null, 0));
      IsNull(() => Library.LoadLibTorch(null));
      IsNull(() => Library.LoadOperators(null));
      IsNull(() => Library.RegisterOperator(null));
      IsNull(() => Library.CheckFile(null));
      IsNull(() => Library.FileText(null));
      Options options = Fixture.Settings();
      options.InputNames.Add(null);
      Expect.Throws<ArgumentException>(() => program.Export(inputs, options, registry));
    }
    var e = Expect.Refused(Status.Callback, () => Fixture.Export((graph, node, given) => {
      IsNull(() => graph.Op(null, given[0]));
      IsNull(() => graph.Constant(null));
      IsNull(() => graph.Cast(null, Dtype.Float32));
      IsNull(() => node.ArgumentIndex(null));
      IsNull(() => given[0].CopyType(null));
      IsNull(() => given[0].SetType(Dtype.Float32, null));
      throw new Exception("reached the end");
    }));
    Expect.Equal("reached the end", e.InnerException.Message);
  }

  [Case]
  private static void ClosedHandlesSayWhichTheyAre() {
    TorchProgram program = Fixture.Archive();
    Args inputs = Fixture.Inputs();
    Registry registry = Fixture.Symbolics();
    Model model = program.Export(inputs, null, registry);
    TensorData tensor = TensorData.From(Fixture.Tokens(), 2, 4);
    foreach (IDisposable handle in new IDisposable[] { program, inputs, registry, model, tensor }) {
      handle.Dispose();
      handle.Dispose();
    }
    using (TorchProgram open = Fixture.Archive()) using (Args given = Fixture.Inputs()) {
      IsClosed("TorchProgram", () => program.Export(given));
      IsClosed("TorchProgram", () => { var methods = program.Methods; });
      IsClosed("Args", () => open.Export(inputs));
      IsClosed("Args", () => inputs.Add(1));
      IsClosed("Registry", () => open.Export(given, null, registry));
      IsClosed("Registry", () => registry.Add(Fixture.Operator, 9, Fixture.GatedSoftmax));
      IsClosed("Model", () => model.ToBytes());
      IsClosed("Model", () => model.Verify(open, given));
      IsClosed("TensorData", () => tensor.ToBytes());
      IsClosed("TensorData", () => given.Add(tensor));
    }
  }

  [Case]
  private static void HandlesCloseInAnyOrder() {
    for (int turn = 0; turn < 4; ++turn) {
      TorchProgram program = Fixture.Archive();
      TensorData tokens = TensorData.From(Fixture.Tokens(), 2, 4);
      Args inputs = new Args().Add(tokens);
      Registry registry = Fixture.Symbolics();
      Model model = program.Export(inputs, Fixture.Settings(), registry);
      byte[] bytes = model.ToBytes();
      var handles = new List<IDisposable> { program, tokens, inputs, registry };
      for (int i = 0; i < handles.Count; ++i) {
        handles[(i + turn) % handles.Count].Dispose();
        Fixture.Collect();
        Expect.Sequence(bytes, model.ToBytes());
      }
      model.Dispose();
    }
  }

  [Case]
  private static void NobodyKeepsTheSymbolicButTheRegistry() {
    using (Registry registry = RegistryWhoseSymbolicIsForgotten()) {
      Fixture.Collect();
      Allocate();
      Fixture.Export(registry).Dispose();
    }
  }

  [Case]
  private static void NothingIsKeptAtAll() {
    for (int i = 0; i < 50; ++i) Forget();
    Fixture.Collect();
    Fixture.Export(Fixture.GatedSoftmax).Dispose();
  }

  [Case]
  private static void DelegatesAreLetGo() {
    using (var registry = new Registry()) {
      WeakReference removed = OwnerOfASymbolic(registry);
      registry.Remove(Fixture.Operator, 9);
      WeakReference replaced = OwnerOfASymbolic(registry);
      WeakReference kept = OwnerOfASymbolic(registry);
      Fixture.Export(registry).Dispose();
      Fixture.Collect();
      Expect.That(!removed.IsAlive, "what was removed is collected");
      Expect.That(!replaced.IsAlive, "what was replaced is collected");
      Expect.That(kept.IsAlive, "what is registered is kept");
      registry.Dispose();
      Fixture.Collect();
      Expect.That(!kept.IsAlive, "a closed registry keeps nothing");
    }
  }

  [Case]
  private static void CollectsDuringAnExport() {
    Fixture
        .Export((graph, node, inputs) => {
          Fixture.Collect();
          Allocate();
          IReadOnlyList<Value> results = Fixture.GatedSoftmax(graph, node, inputs);
          Fixture.Collect();
          return results;
        })
        .Dispose();
  }

  [Case]
  private static void ARegistryMayCloseInsideItsOwnExport() {
    Registry registry = null;
    registry = new Registry().Add(Fixture.Operator, 9, (graph, node, inputs) => {
      registry.Dispose();
      Fixture.Collect();
      return Fixture.GatedSoftmax(graph, node, inputs);
    });
    Fixture.Export(registry).Dispose();
    Expect.Throws<ObjectDisposedException>(() => Fixture.Export(registry));
  }

  [Case]
  private static void NothingChangesUnderACallThatUsesIt() {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (Registry registry =
                                                                                                       new Registry()) {
      registry.Add(Fixture.Operator, 9, (graph, node, given) => {
        Expect.Throws<InvalidOperationException>(() => registry.Remove(Fixture.Operator, 9));
        Expect.Throws<InvalidOperationException>(() => registry.Add(Fixture.Operator, 9, Fixture.GatedSoftmax));
        Expect.Throws<InvalidOperationException>(() => inputs.AddNone());
        Expect.That(registry.Entries.Count > 0 && inputs.Count == 1, "both can be read");
        return Fixture.GatedSoftmax(graph, node, given);
      });
      program.Export(inputs, Fixture.Settings(), registry).Dispose();
      registry.Remove(Fixture.Operator, 9);
    }
  }

  [Case]
  private static void OneThreadAtATimeAddsArguments() {
    int added = 0;
    using (TensorData tensor = TensorData.From(new[] { 1f }, 1)) using (var inputs = new Args()) {
      Parallel.For(0, 4, i => {
        for (int turn = 0; turn < 5000; ++turn) {
          try {
            inputs.Add(tensor);
            Interlocked.Increment(ref added);
          } catch (InvalidOperationException) {
            // Another thread is adding.
          }
        }
      });
      Expect.Equal(added, inputs.Count);
    }
  }

  [Case]
  private static void HandlesMayCloseOnAnotherThreadDuringAnExport() {
    TorchProgram program = Fixture.Archive();
    Args inputs = Fixture.Inputs();
    Registry registry = null;
    registry = new Registry().Add(Fixture.Operator, 9, (graph, node, given) => {
      Task.Run(() => {
            program.Dispose();
            inputs.Dispose();
            registry.Dispose();
            Fixture.Collect();
          })
          .Wait();
      return Fixture.GatedSoftmax(graph, node, given);
    });
    using (Model model = program.Export(inputs, Fixture.Settings(), registry))
        Expect.That(model.ToBytes().Length > 0, "the model has content");
    Expect.Throws<ObjectDisposedException>(() => { var methods = program.Methods; });
  }

  [Case]
  private static void TwoExportsAtOnce() {
    byte[] expected;
    using (Model model = Fixture.Export(Fixture.GatedSoftmax)) expected = model.ToBytes();
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (
        var both =
            new Barrier(2)) using (Registry registry = new Registry().Add(Fixture.Operator, 9, (graph, node, given) => {
      Expect.That(both.SignalAndWait(60000), "both exports are inside their callbacks at once");
      return Fixture.GatedSoftmax(graph, node, given);
    })) {
      for (int turn = 0; turn < 10; ++turn) {
        var made = new byte[2][];
        var thrown = new Exception[2];
        Thread[] threads = Enumerable.Range(0, 2)
                               .Select(i => new Thread(() => {
                                         try {
                                           using (Model model = program.Export(inputs, Fixture.Settings(), registry))
                                               made[i] = model.ToBytes();
                                         } catch (Exception e) {
                                           thrown[i] = e;
                                         }
                                       }))
                               .ToArray();
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();
        foreach (Exception e in thrown)
          if (e != null)
            throw new Exception("an export failed", e);
        Expect.Sequence(expected, made[0]);
        Expect.Sequence(expected, made[1]);
      }
    }
  }

  [Case]
  private static void EachThreadGetsItsOwnCause() {
    var causes = new Exception[4];
    Parallel.For(0, causes.Length, i => {
      var e = Expect.Refused(Status.Callback, () => Fixture.Export((g, n, x) => {
        Thread.Sleep(10);
        throw new Exception("thread " + i);
      }));
      causes[i] = e.InnerException;
    });
    Expect.Sequence(Enumerable.Range(0, causes.Length).Select(i => "thread " + i), causes.Select(c => c.Message));
  }

  [Case]
  private static void AnAbortedThreadFailsItsExport() {
    if (Type.GetType("Mono.Runtime") == null)
      return;  // .NET does not abort threads
    Exception thrown = null;
    var inside = new ManualResetEventSlim();
    var exporter = new Thread(() => {
      try {
        Fixture.Export((graph, node, inputs) => {
          inside.Set();
          Thread.Sleep(60000);
          return null;
        });
      } catch (Exception e) {
        thrown = e;
      }
    });
    exporter.Start();
    inside.Wait();
    exporter.Abort();
    exporter.Join();
    Expect.That(thrown is TonnxException && thrown.InnerException is ThreadAbortException, "the export fails with it");
    Fixture.Export(Fixture.GatedSoftmax).Dispose();
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static Registry RegistryWhoseSymbolicIsForgotten() {
    var owner = new List<int> { 1 };
    return new Registry().Add(Fixture.Operator, 9, (graph, node, inputs) => {
      owner.Add(2);
      return Fixture.GatedSoftmax(graph, node, inputs);
    });
  }

  /// Made on another thread, since Mono scans a thread's stack for whatever looks like a reference.
  private static WeakReference OwnerOfASymbolic(Registry registry) {
    WeakReference reference = null;
    var thread = new Thread(() => {
      var owner = new List<int> { 1 };
      reference = new WeakReference(owner);
      registry.Add(Fixture.Operator, 9, (graph, node, inputs) => {
        owner.Add(2);
        return Fixture.GatedSoftmax(graph, node, inputs);
      });
    });
    thread.Start();
    thread.Join();
    return reference;
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Forget() {
    Registry registry = Fixture.Symbolics();
    Args inputs = Fixture.Inputs();
    Model model = Fixture.Archive().Export(inputs, null, registry);
    Expect.That(model.Opset > 0, "the model is there");
  }

  private static void Allocate() {
    for (int i = 0; i < 1000; ++i) GC.KeepAlive(new byte[10000]);
  }

  private static void IsNull(Action action) {
    Expect.Throws<ArgumentNullException>(action);
  }

  private static void IsClosed(string name, Action action) {
    Expect.Equal(name, Expect.Throws<ObjectDisposedException>(action).ObjectName);
  }
}

}
