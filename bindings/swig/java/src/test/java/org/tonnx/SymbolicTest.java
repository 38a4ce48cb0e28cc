package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Symbolics: what they see, what they build, how they fail. */
class SymbolicTest {
  @Test
  void functionsAreCalled() {
    String gate = "<domain: \"my\", opset_import: [\"\": 15]> Gate <alpha> (X) => (Y) {"
        + " a = Constant <value_float: float = @alpha> () Y = Mul (X, a) }";
    try (Program program = Fixture.program(); Args args = Fixture.args(); Registry registry = new Registry()) {
      registry.addFunctions(gate).addFunctions(gate, Fixture.OPERATOR, 0);
      try (Model model = program.export(args, Fixture.options(), registry)) {
        assertTrue(model.text().contains("my::Gate[alpha=1.5]"));
      }
      byte[] wrong = {10, 3, 'a', 'b', 'c', 1};
      assertThrows(TonnxException.class, () -> registry.addFunctions(wrong));
    }
  }

  @Test
  void argumentsAreDeclared() {
    Symbolic symbolic = (graph, node, inputs) -> {
      assertArrayEquals(new int[] {0, 1}, node.tensorsFirst());
      Attributes alpha = new Attributes().setSuffixed("alpha_f", inputs.get(1)).setSuffixed("alpha_f", null);
      return List.of(graph.op("com.microsoft::QuickGelu", alpha, inputs.get(0)).copyType(inputs.get(0)));
    };
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Registry registry = Fixture.registry(symbolic)) {
      registry.setArguments(Fixture.OPERATOR, 9, "v,f");
      try (Model model = program.export(args, Fixture.options(), registry)) {
        assertTrue(model.text().contains("QuickGelu[alpha=1.5]"), model.text());
      }
      registry.setArguments(Fixture.OPERATOR, 9, "v,i");
      TonnxException refused =
          assertThrows(TonnxException.class, () -> program.export(args, Fixture.options(), registry));
      assertEquals(Status.CALLBACK, refused.status());
      assertTrue(refused.getMessage().contains("argument 'alpha' of " + Fixture.OPERATOR + " is not an int: it is 1.5"),
          refused.getMessage());
      assertEquals(Status.ARGUMENT,
          assertThrows(TonnxException.class, () -> registry.setArguments(Fixture.OPERATOR, 9, "v,x")).status());
    }
  }

  @Test
  void seesTheNodeAndItsInputs() {
    Symbolic symbolic = (graph, node, inputs) -> {
      assertTrue(Tonnx.isExporting());
      assertEquals(15, graph.opset());
      assertEquals(Fixture.OPERATOR, node.operator());
      assertEquals("", node.overload());
      assertEquals("head", node.module());
      assertNotNull(node.source());
      assertEquals(1, node.argumentIndex("alpha"));
      assertEquals(-1, node.argumentIndex("beta"));
      assertEquals(1, node.outputCount());
      assertEquals(Dtype.FLOAT32, node.output(0).dtype());
      assertEquals(2, inputs.size());

      Value x = inputs.get(0);
      assertTrue(x.hasRank());
      assertEquals(2, x.rank());
      assertEquals(-1, x.dim(0));
      assertEquals("batch", x.dimSymbol(0));
      assertEquals(4, x.dim(1));
      assertEquals("", x.dimSymbol(1));
      assertFalse(x.isConstant());
      assertFalse(x.isNone());
      assertThrows(TonnxException.class, () -> x.dim(2));
      assertThrows(TonnxException.class, x::asDouble);
      assertThrows(IndexOutOfBoundsException.class, () -> inputs.get(2));

      Value alpha = inputs.get(1);
      assertTrue(alpha.isConstant());
      assertEquals(1.5, alpha.asDouble());
      assertEquals(Status.ARGUMENT, assertThrows(TonnxException.class, alpha::asString).status());
      assertThrows(TonnxException.class, alpha::asList);
      return Fixture.gatedSoftmax(graph, node, inputs);
    };
    Fixture.export(symbolic).close();
  }

  @Test
  void isFoundWhereItIsWrong(@TempDir Path folder) {
    try (Program program = Program.compile("def f(x):\n    return torch.relu(torch.sin(x) * 2)\n", "net.py", null);
        Tensor x = Tensor.of(new float[] {1, 2}, 2); Args inputs = new Args().add(x);
        Registry registry = new Registry()) {
      registry.add("aten::sin", 9, (graph, node, values) -> List.of(graph.op("Neg", values.get(0))));
      try (Mismatch found = program.findMismatch(inputs, null, registry, null)) {
        assertTrue(found.found());
        assertEquals(List.of("0"), found.leaves());
        assertTrue(found.text().contains("by kind: aten::sin 1"), found.text());
        assertTrue(found.json().contains("\"differs\": true"));
        found.savePart("0", folder);
        assertTrue(Files.exists(folder.resolve("test_data_set_0/input_0.pb")));
        TonnxException e = assertThrows(TonnxException.class, () -> found.savePart("01", folder));
        assertEquals(Status.ARGUMENT, e.status());
        try (Contents ofProgram = found.programContents("0"); Contents ofModel = found.modelContents("0")) {
          assertEquals(java.util.Map.of("aten::sin", 1L), ofProgram.operators());
          assertEquals(java.util.Map.of("Neg", 1L), ofModel.operators());
        }
        assertThrows(TonnxException.class, () -> found.modelContents("01"));
      }
      try (Mismatch none = program.findMismatch(inputs, null, null, new VerifyOptions().everyOperator(true))) {
        assertFalse(none.found());
      }
    }
  }

  @Test
  void exportsThatDependOnTheInputsDiffer(@TempDir Path folder) throws java.io.IOException {
    String source = "def f(x):\n    if x.size(0) > 2:\n        x = torch.sin(x)\n    return x * 2\n";
    try (Program program = Program.compile(source, "net.py", null); Tensor x = Tensor.of(new float[] {1, 2}, 2);
        Tensor y = Tensor.of(new float[] {1, 2, 3}, 3); Args two = new Args().add(x); Args three = new Args().add(y)) {
      assertEquals("", program.exportDifference(List.of(two, two), null, null));
      String text = program.exportDifference(List.of(two, three), null, null);
      assertTrue(text.contains("group 2") && text.contains("onnx::Sin"), text);
      TonnxException few = assertThrows(TonnxException.class, () -> program.exportDifference(List.of(two), null, null));
      assertEquals(Status.ARGUMENT, few.status());
      Path report = folder.resolve("report.sarif");
      try (Model model = program.export(two)) {
        Tonnx.saveReport(report, model.report());
        assertTrue(Files.readString(report).contains("2.1.0"));
        TonnxException e =
            assertThrows(TonnxException.class, () -> Tonnx.saveReport(folder.resolve("r.json"), model.report()));
        assertEquals(Status.ARGUMENT, e.status());
      }
    }
  }

  @Test
  void buildsNodesOfEveryKind() {
    Symbolic symbolic = (graph, node, inputs) -> {
      Value x = inputs.get(0);
      try (Tensor two = Tensor.of(new float[] {2}, 1)) {
        Value constant = graph.constant(two);
        try (Tensor back = constant.asTensor()) {
          assertEquals(2f, back.buffer().getFloat());
        }
        Value nine = graph.cast(graph.constant(Tensor.of(new double[] {9})), Dtype.FLOAT32);
        Value clipped = graph.op("Clip", x, null, nine);
        List<Value> halves = graph.op("Split", new Attributes().setInt("axis", 1), Arrays.asList(clipped), 2);
        assertEquals(2, halves.size());
        Value whole = graph.op("Concat", new Attributes().setInt("axis", 1), halves.get(0), halves.get(1));
        Attributes all = new Attributes()
                             .setInts("ints", 1, 2)
                             .setFloats("floats", 0.5)
                             .setStrings("strings", "ж", "😀")
                             .setString("string", "s")
                             .setFloat("float", 1.25)
                             .setTensor("tensor", two)
                             .setTensors("tensors", two, two)
                             .setType("type", Dtype.INT8, -1, 77);
        Value custom = graph.op("com.example::Thing", all, whole).setType(Dtype.FLOAT32, -1, 4);
        assertEquals(4, custom.dim(1));
        return List.of(graph.op("Mul", custom, constant));
      }
    };
    try (Model model = Fixture.export(symbolic)) {
      String text = model.text(TextFormat.FULL);
      for (String part : new String[] {"Clip", "Split", "Concat", "Thing", "com.example", "Mul", "strings", "floats",
               "tensors", "dim_value: 77"}) {
        assertTrue(text.contains(part), part);
      }
    }
  }

  @Test
  void declines() {
    TonnxException refused = assertThrows(TonnxException.class, () -> Fixture.export((graph, node, inputs) -> null));
    assertEquals(Status.UNSUPPORTED, refused.status());
    assertNull(refused.getCause());
  }

  @Test
  void exceptionBecomesTheCause() {
    IllegalArgumentException thrown = new IllegalArgumentException("no, ж😀");
    TonnxException failed = assertThrows(TonnxException.class, () -> Fixture.export(throwing(thrown)));
    assertSame(thrown, failed.getCause());
    assertEquals(Status.CALLBACK, failed.status());
    assertEquals(Fixture.OPERATOR, failed.reasons().get(0).operator());
    assertEquals("head", failed.reasons().get(0).module());
    assertEquals("no, ж😀", failed.reasons().get(0).text());
    assertEquals(Fixture.OPERATOR + " at head: no, ж😀", failed.reasons().get(0).toString());
  }

  @Test
  void anythingThrownBecomesTheCause() {
    for (Throwable thrown : new Throwable[] {new Exception("checked"), new NullPointerException(),
             new AssertionError("a\0b"), new OutOfMemoryError("x"), new Mute()}) {
      assertSame(thrown, assertThrows(TonnxException.class, () -> Fixture.export(throwing(thrown))).getCause());
    }
    TonnxException deep = assertThrows(TonnxException.class, () -> Fixture.export((graph, node, inputs) -> overflow()));
    assertEquals(StackOverflowError.class, deep.getCause().getClass());
    Fixture.export(Fixture::gatedSoftmax).close();
  }

  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no text");
    }
  }

  @Test
  void firstCallFineThenThrows() {
    AtomicInteger calls = new AtomicInteger();
    IllegalStateException thrown = new IllegalStateException("second call");
    Symbolic symbolic = (graph, node, inputs) -> {
      if (calls.incrementAndGet() == 2) {
        throw thrown;
      }
      return Fixture.gatedSoftmax(graph, node, inputs);
    };
    Options options = Fixture.options();
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Registry registry = Fixture.registry(symbolic)) {
      program.export(args, options, registry).close();
      assertSame(thrown, assertThrows(TonnxException.class, () -> program.export(args, options, registry)).getCause());
      program.export(args, options, registry).close();
    }
    assertEquals(3, calls.get());
  }

  @Test
  void wrongResultsAreRefused() {
    assertThrows(TonnxException.class, () -> Fixture.export((graph, node, inputs) -> List.of()));
    assertThrows(
        TonnxException.class, () -> Fixture.export((graph, node, inputs) -> List.of(inputs.get(0), inputs.get(0))));
    TonnxException refused =
        assertThrows(TonnxException.class, () -> Fixture.export((graph, node, inputs) -> List.of(node.output(5))));
    assertEquals(TonnxException.class, refused.getCause().getClass());
    assertThrows(TonnxException.class, () -> Fixture.export((graph, node, inputs) -> List.of(node.output(0))));
    assertThrows(TonnxException.class, () -> Fixture.export((graph, node, inputs) -> graph.op("A", null, inputs, -1)));
    assertThrows(TonnxException.class, () -> Fixture.export((graph, node, inputs) -> List.of(graph.op(null))));
  }

  @Test
  void valuesEndWithTheCall() {
    AtomicReference<Graph> graphs = new AtomicReference<>();
    AtomicReference<Node> nodes = new AtomicReference<>();
    AtomicReference<List<Value>> values = new AtomicReference<>();
    Symbolic symbolic = (graph, node, inputs) -> {
      if (values.get() != null) {
        assertThrows(IllegalArgumentException.class, () -> graph.op("Relu", values.get().get(0)));
      }
      graphs.set(graph);
      nodes.set(node);
      values.set(inputs);
      return Fixture.gatedSoftmax(graph, node, inputs);
    };
    Fixture.export(symbolic).close();
    assertThrows(IllegalStateException.class, () -> values.get().get(0).dtype());
    assertThrows(IllegalStateException.class, () -> values.get().get(1).asDouble());
    assertThrows(IllegalStateException.class, () -> nodes.get().operator());
    assertThrows(IllegalStateException.class, () -> graphs.get().opset());
    assertThrows(IllegalStateException.class, () -> graphs.get().op("Relu", values.get().get(0)));
    Fixture.export(symbolic).close();
  }

  @Test
  void valuesBelongToTheirThread() {
    Symbolic symbolic = (graph, node, inputs) -> {
      AtomicReference<Throwable> seen = new AtomicReference<>();
      Thread other = new Thread(() -> seen.set(assertThrows(IllegalStateException.class, () -> inputs.get(0).dtype())));
      other.start();
      other.join();
      assertNotNull(seen.get());
      return Fixture.gatedSoftmax(graph, node, inputs);
    };
    Fixture.export(symbolic).close();
  }

  @Test
  void anExportMayRunInsideASymbolic() {
    IllegalStateException inner = new IllegalStateException("inner");
    Symbolic symbolic = (graph, node, inputs) -> {
      assertSame(inner, assertThrows(TonnxException.class, () -> Fixture.export(throwing(inner))).getCause());
      Fixture.export(Fixture::gatedSoftmax).close();
      throw new IllegalArgumentException("outer");
    };
    TonnxException failed = assertThrows(TonnxException.class, () -> Fixture.export(symbolic));
    assertEquals("outer", failed.getCause().getMessage());
    assertArrayEquals(new Throwable[0], failed.getCause().getSuppressed());
  }

  @Test
  void registryReplacesRemovesAndLists() {
    Options options = Fixture.options();
    try (Program program = Fixture.program(); Args args = Fixture.args();
        Registry registry = Fixture.registry((graph, node, inputs) -> null)) {
      int before = registry.entries().size();
      registry.add(Fixture.OPERATOR, 9, Fixture::gatedSoftmax);
      assertEquals(before, registry.entries().size());
      program.export(args, options, registry).close();
      assertTrue(registry.entries().stream().anyMatch(
          e -> e.name().equals(Fixture.OPERATOR) && e.since() == 9 && e.isCustom() && e.kind().equals("symbolic")));
      registry.remove(Fixture.OPERATOR, 9);
      assertThrows(TonnxException.class, () -> program.export(args, options, registry));
      assertEquals(
          Status.ARGUMENT, assertThrows(TonnxException.class, () -> registry.remove(Fixture.OPERATOR, 9)).status());
      assertThrows(TonnxException.class, () -> registry.add("no domain", 9, Fixture::gatedSoftmax));
      assertThrows(TonnxException.class, () -> registry.add("a\0::b", 9, Fixture::gatedSoftmax));
    }
  }

  private static Symbolic throwing(Throwable thrown) {
    return (graph, node, inputs) -> {
      if (thrown instanceof Error) {
        throw (Error) thrown;
      }
      throw (Exception) thrown;
    };
  }

  private static List<Value> overflow() {
    return overflow();
  }

  @Test
  void callsBuiltInLoweringsAndBuildsBranches() {
    Symbolic symbolic = (graph, node, inputs) -> {
      Value x = inputs.get(0);
      assertFalse(graph.isTraining());
      Graph then = graph.addSubgraph();
      then.setResults(then.op("Mul", x, then.call("aten::sigmoid", null, x)));
      Graph other = graph.addSubgraph();
      List<Value> sorted = other.call("aten::sort", new Attributes().setInt("descending", 1), List.of(x), 2);
      other.setResults(other.call("aten::cat", new Attributes().setInt("dim", 1), other.list(sorted.get(0), x)));
      assertThrows(TonnxException.class, graph::addInput);
      assertNotNull(graph.addSubgraph().addInput());
      Value condition =
          graph.op("Equal", graph.constant(Tensor.of(new long[] {1})), graph.constant(Tensor.of(new long[] {1})));
      Attributes branches = new Attributes().setGraph("then_branch", then).setGraph("else_branch", other);
      Value chosen = graph.op("If", branches, graph.op("Squeeze", condition));
      TonnxException again = assertThrows(TonnxException.class, () -> graph.op("If", branches, condition));
      assertTrue(again.getMessage().contains("is part of a node already"), again.getMessage());
      return List.of(chosen);
    };
    try (Program program = Program.compile("def forward(self, x):\n    return torch.silu(x)\n");
        Tensor x = Tensor.of(new float[] {-1, 0, 1, 2}, 2, 2); Args args = new Args().add(x);
        Registry registry = new Registry().add("aten::silu", 9, symbolic);
        Model model = program.export(args, new Options(), registry)) {
      model.verify(program, args);
      assertTrue(model.text().contains("Sigmoid"));
    }
  }
}
