using System;
using System.IO;
using System.Linq;
using System.Text;

namespace Tonnx.Tests {

internal static class ProgramTests {
  [Case]
  private static void LoadsAFile() {
    using (TorchProgram program = Fixture.Archive()) {
      Expect.Sequence(new[] { "forward" }, program.Methods);
      using (Args inputs = Fixture.Inputs()) Expect.Contains("gated_softmax", program.Text(inputs));
    }
  }

  [Case]
  private static void LoadsBytes() {
    Fixture.Archive().Dispose();
    using (TorchProgram program = TorchProgram.Load(File.ReadAllBytes(Fixture.ArchivePath))) using (
        Args inputs =
            Fixture.Inputs()) using (Registry registry =
                                         Fixture.Symbolics()) using (Model model =
                                                                         program.Export(inputs, Fixture.Settings(),
                                                                                        registry))
        model.Verify(program, inputs);
  }

  [Case]
  private static void TheLibraryHasAVersion() {
    int number = Library.VersionNumber;
    Expect.Equal(Library.Version, (number >> 16) + "." + (number >> 8 & 0xFF) + "." + (number & 0xFF));
  }

  [Case]
  private static void LibTorchHasAVersion() {
    string missing = Path.Combine(Path.GetTempPath(), "no", "such");
    Expect.Contains("no LibTorch in", Expect.Refused(Status.File, () => Library.LoadLibTorch(missing)).Message);
    Fixture.Archive().Dispose();
    int version = Library.LibTorchVersion;
    Expect.Contains("LibTorch " + (version >> 16) + "." + (version >> 8 & 0xFF) + ",", Library.BuildInfo);
  }

  [Case]
  private static void CompilesSourceText() {
    const string Source = "def double(x): return x * 2\n" + "def forward(self, x):\n" +
                          "    while bool(x.sum() < self.limit):\n" + "        x = double(x) + self.layer.shift\n" +
                          "    return x\n";
    using (TensorData shift = TensorData.From(new[] { 0.5f, 1.5f }, 2)) using (
        Args attributes =
            new Args()
                .Key("layer.shift")
                .Add(shift)
                .Key("limit")
                .Add(50.0)) using (Args inputs =
                                       new Args().Add(shift)) using (TorchProgram program =
                                                                         TorchProgram.Compile(
                                                                             Source, attributes,
                                                                             "net.py")) using (Model model =
                                                                                                   program.Export(
                                                                                                       inputs)) {
      Expect.Sequence(new[] { "forward", "double" }, program.Methods);
      model.Verify(program, inputs);
      Expect.Contains("onnx::Loop", model.Text());
    }
    using (TorchProgram plain = TorchProgram.Compile("def f(x): return x\n"))
        Expect.Sequence(new[] { "f" }, plain.Methods);
    var e = Expect.Refused(Status.Program, () => TorchProgram.Compile("def f(x):\n    return y\n", null, "net.py"));
    Expect.Contains("net.py:2:12: undefined value y", e.Message);
    Expect.Refused(Status.Argument, () => TorchProgram.FromModule(IntPtr.Zero));
  }

  [Case]
  private static void NamesAMissingFile() {
    var e = Expect.Refused(Status.File, () => TorchProgram.Load("/no/such/caf\u00e9.pt"));
    Expect.Contains("/no/such/caf\u00e9.pt", e.Message);
    Expect.That(e.ClassName.EndsWith("Error"), "the class is named");
    Expect.Equal(0, e.Reasons.Count);
  }

  [Case]
  private static void RefusesWhatIsNoArchive() {
    Expect.Refused(Status.File, () => TorchProgram.Load(Encoding.ASCII.GetBytes("not an archive")));
    Expect.Refused(Status.File, () => TorchProgram.Load(new byte[0]));
  }

  [Case]
  private static void RefusesWrongOptions() {
    Expect.Refused(Status.Argument, () => Export(new Options { Opset = 3 }));
    Expect.Refused(Status.Argument, () => Export(new Options { Method = "backward" }));
    Expect.Refused(Status.Argument, () => Export(new Options { Training = (Training)9 }));
    Expect.Refused(Status.Argument, () => Export(new Options { DynamicAxes = { { "missing", 0, "n" } } }));
    Expect.Refused(Status.Argument, () => Export(new Options { InputNames = { "a", "b", "c", "d", "e", "f" } }));
  }

  [Case]
  private static void NamesWhatItCannotConvert() {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) {
      var e = Expect.Refused(Status.Unsupported, () => program.Export(inputs));
      Expect.Equal(Fixture.Operator, e.Reasons.Single().Operator);
      Expect.Contains(Fixture.Operator, e.Message);
    }
  }

  [Case]
  private static void ArgumentsMayNest() {
    using (TensorData x = TensorData.From(new[] { 1f })) using (Args inputs = new Args()
                                                                                  .BeginList()
                                                                                  .Add(x)
                                                                                  .Add(x)
                                                                                  .End()
                                                                                  .BeginTuple()
                                                                                  .Add(1)
                                                                                  .Add(2.5)
                                                                                  .End()
                                                                                  .Add(true)
                                                                                  .Add("text")
                                                                                  .AddNone()
                                                                                  .Key("mask")
                                                                                  .Add(x)
                                                                                  .Key("more")
                                                                                  .BeginDict()
                                                                                  .Key("k")
                                                                                  .Add(x)
                                                                                  .End()) {
      Expect.Equal(7, inputs.Count);
      Expect.Refused(Status.Argument, () => inputs.End());
      Expect.Refused(Status.File, () => Args.Load("/no/such/file.pt"));
    }
  }

  [Case]
  private static void WrongInputsAreRefused() {
    using (TorchProgram program = Fixture.Archive()) using (Registry registry = Fixture.Symbolics()) using (
        var none = new Args()) using (TensorData wide = TensorData.From(new float[10], 2,
                                                                        5)) using (Args wrong = new Args().Add(wide)) {
      Expect.Refused(Status.Argument, () => program.Export(none, null, registry));
      Expect.Throws<TonnxException>(() => program.Export(wrong, null, registry));
    }
  }

  private static void Export(Options options) {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (
        Registry registry = Fixture.Symbolics()) program.Export(inputs, options, registry)
        .Dispose();
  }
}

}
