package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs and models. */
class ModelTest {
  @Test
  void programTellsMethodsAndText() {
    Options options = Fixture.options();
    try (Program program = Fixture.program(); Args args = Fixture.args()) {
      assertEquals(List.of("forward"), program.methods());
      assertTrue(program.text(args).contains(Fixture.OPERATOR));
      assertTrue(program.text(args, options, TextFormat.SHORT).contains(Fixture.OPERATOR));
    }
  }

  @Test
  void programFromMemoryGivesTheSameModel() throws IOException {
    byte[] archive = Files.readAllBytes(Fixture.archive());
    Options options = Fixture.options();
    try (Program program = Program.load(archive); Args args = Fixture.args();
        Registry registry = Fixture.registry(Fixture::gatedSoftmax);
        Model model = program.export(args, options, registry); Model other = Fixture.export(Fixture::gatedSoftmax)) {
      assertArrayEquals(other.bytes(), model.bytes());
    }
  }

  @Test
  void sourceTextBecomesAProgram() {
    String source = "def double(x): return x * 2\n"
        + "def forward(self, x):\n"
        + "    while bool(x.sum() < self.limit):\n"
        + "        x = double(x) + self.layer.shift\n"
        + "    return x\n";
    try (Tensor shift = Tensor.of(new float[] {0.5f, 1.5f}, 2);
        Args attributes = new Args().key("layer.shift").add(shift).key("limit").add(50.0); Args args = Args.of(shift);
        Program program = Program.compile(source, "net.py", attributes); Model model = program.export(args)) {
      assertEquals(List.of("forward", "double"), program.methods());
      model.verify(program, args);
      assertTrue(model.text().contains("onnx::Loop"), model.text());
    }
    TonnxException refused = assertThrows(TonnxException.class, () -> Program.compile("def f(x):\n    return y\n"));
    assertEquals(Status.PROGRAM, refused.status());
    assertTrue(refused.getMessage().contains("source:2:12: undefined value y"), refused.getMessage());
    assertEquals(Status.ARGUMENT, assertThrows(TonnxException.class, () -> Program.fromModule(0, false)).status());
  }

  @Test
  void damagedArchivesAreRefused() {
    assertEquals(Status.FILE, assertThrows(TonnxException.class, () -> Program.load(new byte[100])).status());
    assertEquals(Status.FILE, assertThrows(TonnxException.class, () -> Program.load(Path.of("missing.pt"))).status());
  }

  @Test
  void unknownOperatorIsListedWithItsPlace() {
    try (Program program = Fixture.program(); Args args = Fixture.args()) {
      TonnxException refused = assertThrows(TonnxException.class, () -> program.export(args));
      assertEquals(Status.UNSUPPORTED, refused.status());
      assertEquals("UnsupportedOperatorError", refused.errorClass());
      assertEquals(1, refused.reasons().size());
      TonnxException.Reason reason = refused.reasons().get(0);
      assertEquals(Fixture.OPERATOR, reason.operator());
      assertEquals("head", reason.module());
      assertEquals(1, reason.places());
      assertTrue(refused.getMessage().contains(Fixture.OPERATOR), refused.getMessage());
    }
  }

  @Test
  void modelAnswersWhatItHas(@TempDir Path folder) throws IOException {
    try (Model model = Fixture.export(Fixture::gatedSoftmax)) {
      assertEquals(List.of("tokens"), model.inputNames());
      assertEquals(List.of("weights"), model.outputNames());
      assertEquals(15, model.opset());
      assertTrue(model.irVersion() >= 3);
      assertEquals(List.of(), model.warnings());
      assertTrue(model.report().startsWith("{"), model.report());
      assertTrue(model.text().contains("com.microsoft::QuickGelu[alpha=1.5]"), model.text());
      assertTrue(model.text(TextFormat.FULL).contains("op_type"), model.text(TextFormat.FULL));
      model.check();

      Path file = folder.resolve("модель😀.onnx");
      model.save(file, null);
      Tonnx.checkFile(file);
      model.save(file, new SaveOptions().externalData(ExternalData.NO));
      assertArrayEquals(Files.readAllBytes(file), model.bytes());
      Tonnx.checkFile(file);
      String text = Tonnx.fileText(file, TextFormat.SHORT);
      assertTrue(text.contains("com.microsoft::QuickGelu[alpha=1.5]"), text);

      Path typed = folder.resolve("typed.onnx");
      Tonnx.inferFile(file, typed);
      try (Args args = Fixture.args()) {
        List<NamedTensor> outputs = Tonnx.runFile(typed, args, null);
        assertEquals(1, outputs.size());
        try (NamedTensor output = outputs.get(0)) {
          assertEquals("weights", output.name());
          assertArrayEquals(new long[] {2, 4}, output.tensor().dims());
        }
      }
      try (Args none = new Args()) {
        TonnxException missing = assertThrows(TonnxException.class, () -> Tonnx.runFile(typed, none, null));
        assertTrue(missing.isA("ArgumentError") && missing.isA("OnnxExporterError") && !missing.isA("FileError"));
      }
      assertEquals(false, Tonnx.isExporting());

      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      model.write(stream);
      assertArrayEquals(model.bytes(), stream.toByteArray());

      TonnxException refused =
          assertThrows(TonnxException.class, () -> model.save(folder.resolve("none").resolve("m.onnx")));
      assertEquals(Status.FILE, refused.status());
    }
  }

  @Test
  void contentsOfAModelAndItsProgram() {
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Registry registry = Fixture.registry(Fixture::gatedSoftmax);
        Model model = program.export(args, Fixture.options(), registry); Contents contents = model.contents();
        Contents before = program.contents(args, null)) {
      model.close(); // the contents keep what they need
      Value input = contents.inputs().get(0);
      assertEquals("tokens", input.name());
      assertEquals(Kind.TENSOR, input.kind());
      assertTrue(input.hasRank());
      assertEquals(before.inputs().get(0).rank(), input.rank());
      assertEquals(before.inputs().get(0).dtype(), input.dtype());
      assertEquals("batch", input.dimSymbol(0));
      assertEquals(-1, input.dim(0));
      assertEquals(1, contents.outputs().size());
      assertEquals(1, contents.operators().get("com.microsoft::QuickGelu"));
      assertTrue(before.operators().containsKey(Fixture.OPERATOR), before.operators().toString());
      for (Value weight : contents.weights()) {
        try (Tensor tensor = weight.asTensor()) {
          assertEquals(weight.dtype(), tensor.dtype());
        }
      }
      assertThrows(IllegalStateException.class, () -> input.setType(Dtype.FLOAT32, 2, 3));
      assertThrows(IllegalStateException.class, () -> contents.graph().op("Relu", input));
      contents.close();
      assertThrows(IllegalStateException.class, input::name);
    }
  }

  @Test
  void nodesOfContentsAreWalked() {
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Registry registry = Fixture.registry(Fixture::gatedSoftmax);
        Model model = program.export(args, Fixture.options(), registry); Contents contents = model.contents()) {
      Graph graph = contents.graph();
      assertEquals(model.opset(), graph.opset());
      assertNull(graph.owner());
      Node gelu = graph.nodes().stream().filter(node -> node.operator().contains("QuickGelu")).findFirst().get();
      assertEquals(graph, gelu.parent());
      assertEquals(0, gelu.graphs().size());
      assertEquals("alpha", gelu.attributes().get(0).name());
      assertEquals(Kind.FLOAT, gelu.attribute("alpha").kind());
      assertNull(gelu.attribute("beta"));
      Value result = gelu.output(0);
      assertEquals(gelu, result.producer());
      assertEquals(1, result.uses().size());
      Use use = result.uses().get(0);
      assertEquals(result, use.node().inputs().get(use.index()));
      assertNull(graph.inputs().get(0).producer());
      Use last = graph.outputs().get(0).uses().get(0);
      assertEquals("prim::Return", last.node().operator());
      assertEquals(graph, last.node().parent());
    }
  }

  @Test
  void namesAreUtf8() {
    Options options = new Options().inputName("вход😀").outputName("出力").customOpset("com.microsoft", 1);
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Registry registry = Fixture.registry(Fixture::gatedSoftmax);
        Model model = program.export(args, options, registry)) {
      assertEquals(List.of("вход😀"), model.inputNames());
      assertEquals(List.of("出力"), model.outputNames());
    }
  }

  @Test
  void modelIsVerified() {
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Model model = Fixture.export(Fixture::gatedSoftmax);
        Model wrong = Fixture.export((graph, node, inputs) -> List.of(graph.op("Relu", inputs.get(0))))) {
      model.verify(program, args);
      model.verify(program, args, new VerifyOptions().rtol(1e-4).atol(1e-6));
      TonnxException differs = assertThrows(TonnxException.class, () -> wrong.verify(program, args));
      assertEquals(Status.VERIFICATION, differs.status());
      wrong.verify(program, args, new VerifyOptions().rtol(1).atol(1));
      wrong.verify(program, args, new VerifyOptions().operatorTolerance(Fixture.OPERATOR, -1, 99));
      assertThrows(TonnxException.class,
          () -> wrong.verify(program, args, new VerifyOptions().operatorTolerance("aten::relu", -1, 99)));
    }
  }

  @Test
  void otherSizesAreVerified() {
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Model model = Fixture.export(Fixture::gatedSoftmax); Model baked = Fixture.export((graph, node, inputs) -> {
          Value x = graph.op("Reshape", inputs.get(0), graph.constant(Tensor.of(new long[] {2, 4}, 2)));
          return Fixture.gatedSoftmax(graph, node, List.of(x.setType(Dtype.FLOAT32, 2, 4), inputs.get(1)));
        })) {
      assertEquals(List.of(), model.verify(program, args, new VerifyOptions().size("batch", 7)));
      baked.verify(program, args, new VerifyOptions().otherSizes(false));
      TonnxException differs = assertThrows(TonnxException.class, () -> baked.verify(program, args));
      assertEquals(Status.VERIFICATION, differs.status());
      for (VerifyOptions wrong :
          new VerifyOptions[] {new VerifyOptions().size("none", 7), new VerifyOptions().size("batch", -1)}) {
        TonnxException refused = assertThrows(TonnxException.class, () -> model.verify(program, args, wrong));
        assertEquals(Status.ARGUMENT, refused.status());
      }
      assertThrows(NullPointerException.class, () -> model.verify(program, args, null));
      assertThrows(NullPointerException.class, () -> new VerifyOptions().size(null, 7));
    }
  }

  @Test
  void exceptionsOfAStreamComeOutUnchanged() {
    IOException full = new IOException("disk full");
    IllegalArgumentException wrong = new IllegalArgumentException("wrong");
    StackOverflowError deep = new StackOverflowError();
    InterruptedException undeclared = new InterruptedException();
    try (Model model = Fixture.export(Fixture::gatedSoftmax)) {
      assertSame(full, assertThrows(IOException.class, () -> model.write(new Failing(full))));
      assertSame(wrong, assertThrows(IllegalArgumentException.class, () -> model.write(new Failing(wrong))));
      assertSame(deep, assertThrows(StackOverflowError.class, () -> model.write(new Failing(deep))));
      assertSame(undeclared, assertThrows(InterruptedException.class, () -> model.write(new Failing(undeclared))));
      assertTrue(model.bytes().length > 0);
    }
  }

  private static final class Failing extends OutputStream {
    private final Throwable thrown;

    Failing(Throwable thrown) {
      this.thrown = thrown;
    }

    @Override
    public void write(int b) {
      Failing.<RuntimeException>rethrow(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void rethrow(Throwable thrown) throws T {
      throw (T) thrown;
    }
  }
}
