using System;
using System.IO;
using System.Linq;

namespace Tonnx.Tests {

internal static class ModelTests {
  [Case]
  private static void EveryOutputFormHasTheSameBytes() {
    string folder = Fixture.NewFolder();
    string path = Path.Combine(folder, "caf\u00e9.onnx");
    using (Model model = Fixture.Export(Fixture.GatedSoftmax)) {
      byte[] bytes = model.ToBytes();
      Expect.That(bytes.Length > 100, "the model has content");
      model.Save(path);
      Expect.Sequence(bytes, File.ReadAllBytes(path));
      var stream = new MemoryStream();
      model.Write(stream);
      Expect.Sequence(bytes, stream.ToArray());
    }
    Library.CheckFile(path);
    Expect.Contains("QuickGelu", Library.FileText(path));
    string typed = Path.Combine(folder, "typed.onnx");
    Library.InferFile(path, typed);
    using (Args inputs = Fixture.Inputs()) {
      var outputs = Library.RunFile(typed, inputs);
      Expect.Sequence(new[] { "weights" }, outputs.Select(output => output.Key));
      outputs[0].Value.Dispose();
    }
    using (var none = new Args()) {
      TonnxException missing = Expect.Refused(Status.Argument, () => Library.RunFile(typed, none));
      Expect.That(missing.IsA("OnnxExporterError") && !missing.IsA("FileError"), "the class has one base");
    }
    Expect.That(!Library.IsExporting, "no export runs");
    Directory.Delete(folder, true);
  }

  [Case]
  private static void WeightsGoWhereTheyAreAskedTo() {
    string folder = Fixture.NewFolder();
    string path = Path.Combine(folder, "m.onnx");
    using (Model model = Fixture.Export(Fixture.GatedSoftmax)) {
      model.Save(path, new SaveOptions { ExternalData = ExternalData.No });
      Expect.Sequence(model.ToBytes(), File.ReadAllBytes(path));
      model.Save(path, new SaveOptions { ExternalData = ExternalData.Yes });
      Library.CheckFile(path);
      Expect.Refused(Status.Argument, () => model.Save(path, new SaveOptions { ExternalData = (ExternalData)9 }));
    }
    Directory.Delete(folder, true);
  }

  [Case]
  private static void WhatAStreamThrowsComesOutUnchanged() {
    using (Model model = Fixture.Export(Fixture.GatedSoftmax)) {
      var e = Expect.Throws<IOException>(() => model.Write(new FullDisk()));
      Expect.Equal("the disk is full", e.Message);
      Expect.Contains("FullDisk.Write", e.StackTrace);
      model.Write(new MemoryStream());
    }
  }

  [Case]
  private static void ContentsOfAModelAndItsProgram() {
    using (TorchProgram program = Fixture.Archive()) using (Args args = Fixture.Inputs()) using (
        Model model = Fixture.Export(
            Fixture.GatedSoftmax)) using (Contents contents = model.Contents()) using (Contents before =
                                                                                           program.Contents(args)) {
      model.Dispose();  // the contents keep what they need
      Value input = contents.Inputs[0];
      Expect.Equal("tokens", input.Name);
      Expect.Equal(Kind.Tensor, input.Kind);
      Expect.That(input.HasRank, "the rank is known");
      Expect.Equal(before.Inputs[0].Rank, input.Rank);
      Expect.Equal(before.Inputs[0].Dtype, input.Dtype);
      Expect.Equal(1, contents.Outputs.Count);
      Expect.That(contents.Operators.Any(o => o.Key == "com.microsoft::QuickGelu" && o.Value == 1), "the operator");
      Expect.That(before.Operators.Any(o => o.Key == "my_ops::gated_softmax"), "the program's operator");
      foreach (Value weight in contents.Weights)
        using (TensorData tensor = weight.ToTensor()) Expect.Equal(weight.Dtype, tensor.Dtype);
      Expect.Throws<InvalidOperationException>(() => input.SetType(Dtype.Float32, 2, 3));
      Expect.Throws<InvalidOperationException>(() => contents.Graph.Op("Relu", input));
      contents.Dispose();
      Expect.Throws<ObjectDisposedException>(() => input.Name.ToString());
    }
  }

  [Case]
  private static void NodesOfContentsAreWalked() {
    using (Model model = Fixture.Export(Fixture.GatedSoftmax)) using (Contents contents = model.Contents()) {
      Graph graph = contents.Graph;
      Expect.Equal(model.Opset, graph.Opset);
      Expect.Equal(null, graph.Owner);
      Node gelu = graph.Nodes.First(node => node.Operator.Contains("QuickGelu"));
      Expect.Equal(graph, gelu.Parent);
      Expect.Equal(0, gelu.Graphs.Count);
      Expect.Equal("alpha", gelu.Attributes[0].Name);
      Expect.Equal(Kind.Float, gelu.Attribute("alpha").Kind);
      Expect.Equal(null, gelu.Attribute("beta"));
      Value result = gelu.Output();
      Expect.Equal(gelu, result.Producer);
      Expect.Equal(1, result.Uses.Count);
      Use use = result.Uses[0];
      Expect.That(use.Node == result.Uses[0].Node && use.Node != result.Producer, "nodes are compared by ==");
      Expect.Equal(result, use.Node.Inputs[use.Index]);
      Expect.Equal(null, graph.Inputs[0].Producer);
      Use last = graph.Outputs[0].Uses[0];
      Expect.Equal("prim::Return", last.Node.Operator);
      Expect.Equal(graph, last.Node.Parent);
    }
  }

  [Case]
  private static void TellsWhatItHolds() {
    using (Model model = Fixture.Export(Fixture.GatedSoftmax)) {
      Expect.Sequence(new[] { "tokens" }, model.InputNames);
      Expect.Sequence(new[] { "weights" }, model.OutputNames);
      Expect.Equal(15, model.Opset);
      Expect.That(model.IrVersion >= 3, "there is an IR version");
      Expect.Equal(0, model.Warnings.Count);
      Expect.That(model.Report.StartsWith("{"), "the report is JSON");
      Expect.Contains("Softmax", model.Text());
      Expect.Contains("op_type: \"Softmax\"", model.Text(TextFormat.Full));
      model.Check();
    }
  }

  [Case]
  private static void VerifyFindsAWrongModel() {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (
        Registry registry =
            new Registry().Add(Fixture.Operator, 9,
                               (graph, node, given) => new[] {
                                 graph.Op("Softmax", new[] { given[0] }, new Attributes { { "axis", 1 } })
                               })) using (Model model = program.Export(inputs, Fixture.Settings(), registry)) {
      Expect.Refused(Status.Verification, () => model.Verify(program, inputs));
      model.Verify(program, inputs, new VerifyOptions { Rtol = 1, Atol = 1 });
      model.Verify(program, inputs, new VerifyOptions { OperatorTolerances = { { Fixture.Operator, (-1, 99) } } });
      Expect.Refused(Status.Verification,
                     () => model.Verify(program, inputs,
                                        new VerifyOptions { OperatorTolerances = { { "aten::relu", (-1, 99) } } }));
    }
  }

  [Case]
  private static void VerifiesOtherSizes() {
    using (TorchProgram program = Fixture.Archive()) using (Args inputs = Fixture.Inputs()) using (
        Model model =
            Fixture.Export(Fixture.GatedSoftmax)) using (Model baked = Fixture.Export((graph, node, given) => {
      Value x = graph.Op("Reshape", given[0], graph.Constant(TensorData.From(new[] { 2L, 4L }, 2)));
      x.SetType(Dtype.Float32, 2, 4);
      return Fixture.GatedSoftmax(graph, node, new[] { x, given[1] });
    })) {
      Expect.Equal(0, model.Verify(program, inputs, new VerifyOptions { Sizes = { { "batch", 7 } } }).Count);
      baked.Verify(program, inputs, new VerifyOptions { OtherSizes = false });
      Expect.Refused(Status.Verification, () => baked.Verify(program, inputs));
      Expect.Refused(Status.Argument,
                     () => model.Verify(program, inputs, new VerifyOptions { Sizes = { { "none", 7 } } }));
      Expect.Refused(Status.Argument,
                     () => model.Verify(program, inputs, new VerifyOptions { Sizes = { { "batch", -1 } } }));
    }
  }

  [Case]
  private static void SaveNamesAFolderThatIsNotThere() {
    using (Model model = Fixture.Export(Fixture.GatedSoftmax)) {
      var e = Expect.Refused(Status.File, () => model.Save("/no/such/folder/m.onnx"));
      Expect.Contains("/no/such/folder", e.Message);
    }
  }

  [Case]
  private static void CheckFileRefusesWhatIsNoModel() {
    Expect.Throws<TonnxException>(() => Library.CheckFile("/no/such/m.onnx"));
    Expect.Throws<TonnxException>(() => Library.FileText(Fixture.ArchivePath));
  }

  private sealed class FullDisk : MemoryStream {
    public override void Write(byte[] buffer, int offset, int count) {
      throw new IOException("the disk is full");
    }
  }
}

}
