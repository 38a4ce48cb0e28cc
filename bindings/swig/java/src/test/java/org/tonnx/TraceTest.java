package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Traces of code that runs in a LibTorch client of its own, which holds its tensors by address. */
@EnabledIfEnvironmentVariable(named = "TONNX_TORCH_SHIM_JNI", matches = ".+")
class TraceTest {
  private static final long WORDS = 11;
  private static final long WIDTH = 4;
  private static final long HIDDEN = 6;

  private static Status refusal(Runnable call) {
    return assertThrows(TonnxException.class, call::run).status();
  }

  private static Args words(int batch, int sequence) {
    long[] words = new long[batch * sequence];
    for (int i = 0; i < words.length; i++) {
      words[i] = i * 7 % WORDS;
    }
    try (Tensor tensor = Tensor.of(words, batch, sequence)) {
      return Args.of(tensor);
    }
  }

  private static void works(Args args) {
    try (TorchShim torch = new TorchShim();
        Program program = Program.trace(args, (trace, inputs) -> new long[] {torch.call("relu", inputs[0])});
        Model model = program.export(args)) {
      model.verify(program, args);
    }
  }

  @Test
  void aVirtualThreadIsRefused() throws ReflectiveOperationException, InterruptedException {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Runnable code = () -> {
      try (Args args = words(1, 1)) {
        Program.trace(args, (trace, inputs) -> inputs).close();
      } catch (Throwable e) {
        thrown.set(e);
      }
    };
    if (Runtime.version().feature() < 21) {
      code.run();
      assertEquals(null, thrown.get());
      return;
    }
    ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, code)).join();
    TonnxException refusal = (TonnxException) thrown.get();
    assertEquals(Status.ARGUMENT, refusal.status());
    assertTrue(refusal.getMessage().contains("virtual thread"), refusal.getMessage());
  }

  @Test
  void aLanguageModelIsRecorded() {
    try (TorchShim torch = new TorchShim(); Args args = words(2, 5)) {
      Map<String, Long> weights = new LinkedHashMap<>();
      weights.put("embedding.weight", torch.make("randn", WORDS, WIDTH));
      weights.put("lstm.weight_ih", torch.make("randn", 4 * HIDDEN, WIDTH));
      weights.put("lstm.weight_hh", torch.make("randn", 4 * HIDDEN, HIDDEN));
      weights.put("lstm.bias_ih", torch.make("randn", 4 * HIDDEN));
      weights.put("lstm.bias_hh", torch.make("randn", 4 * HIDDEN));
      weights.put("decoder.weight", torch.make("randn", WORDS, HIDDEN));
      weights.put("decoder.bias", torch.make("randn", WORDS));
      TracedCode<RuntimeException> code = (trace, inputs) -> {
        weights.forEach(trace::weight);
        long x;
        try (Trace.Module module = trace.module("Embedding", "embedding")) {
          x = torch.call("embedding", weights.get("embedding.weight"), inputs[0]);
        }
        try (Trace.Module module = trace.module("LSTM", "lstm")) {
          long state = torch.make("zeros", 1, TorchShim.size(x, 0), HIDDEN);
          x = torch.call("lstm", x, state, state, weights.get("lstm.weight_ih"), weights.get("lstm.weight_hh"),
              weights.get("lstm.bias_ih"), weights.get("lstm.bias_hh"));
        }
        try (Trace.Module module = trace.module("Linear", "decoder")) {
          return new long[] {torch.call("linear", x, weights.get("decoder.weight"), weights.get("decoder.bias"))};
        }
      };
      TraceOptions options = new TraceOptions().dynamicAxis(0, 0, "batch").dynamicAxis(0, -1, "sequence");
      try (Program program = Program.trace(args, options, code); Model model = program.export(args)) {
        model.verify(program, null);
        assertTrue(model.text().contains("onnx::LSTM"), model.text());
        assertTrue(model.text().contains("/decoder/"), model.text());
        assertTrue(model.text().contains("%embedding.weight"), model.text());
        for (int[] size : new int[][] {{2, 5}, {1, 9}, {4, 3}}) {
          try (Args other = words(size[0], size[1]); Program same = Program.trace(other, code)) {
            model.verify(same, null);
          }
        }
      }
    }
  }

  @Test
  void resultsMayBeNamedAndGivenOneByOne() {
    try (Args args = Fixture.args()) {
      TracedCode<RuntimeException> code = (trace, inputs) -> {
        try (TorchShim torch = new TorchShim()) {
          trace.output("positive", torch.call("relu", inputs[0]));
          long own = trace.newInput(0);
          trace.output(torch.call("sigmoid", own));
          Tensor.deleteTorch(own);
          assertEquals(Status.ARGUMENT, refusal(() -> trace.newInput(1)));
          assertEquals(Status.ARGUMENT, refusal(() -> trace.newInput(-1)));
        }
        return null;
      };
      try (Program program = Program.trace(args, code); Model model = program.export(args)) {
        model.verify(program, args);
        assertEquals(2, model.outputNames().size());
        assertEquals("positive", model.outputNames().get(0));
      }
    }
  }

  @Test
  void whatTheCodeThrowsComesOutUnchanged() {
    IOException thrown = new IOException("mine");
    try (Args args = Fixture.args(); TorchShim torch = new TorchShim()) {
      TracedCode<IOException> failing = (trace, inputs) -> {
        throw thrown;
      };
      assertSame(thrown, assertThrows(IOException.class, () -> Program.trace(args, failing)));
      TracedCode<RuntimeException> wrong = (trace, in) -> new long[] {torch.call("matmul", in[0], in[0])};
      AtomicInteger runs = new AtomicInteger();
      TracedCode<IOException> later = (trace, in) -> {
        if (runs.getAndIncrement() > 0) {
          throw thrown;
        }
        return new long[] {torch.call("relu", in[0])};
      };
      TraceOptions rows = new TraceOptions().dynamicAxis(0, 0, "rows");
      assertSame(thrown, assertThrows(TonnxException.class, () -> Program.trace(args, rows, later)).getCause());
      String message = assertThrows(ArithmeticException.class, () -> Program.trace(args, wrong)).getMessage();
      assertTrue(message.contains("mat1 and mat2"), message);
      works(args);
    }
  }

  @Test
  void wrongUseIsRefused() throws InterruptedException {
    AtomicReference<Trace> kept = new AtomicReference<>();
    try (Args args = Fixture.args(); TorchShim torch = new TorchShim()) {
      TracedCode<InterruptedException> code = (trace, inputs) -> {
        kept.set(trace);
        assertEquals(Status.ARGUMENT, refusal(() -> Program.trace(args, (t, in) -> in)));
        assertEquals(Status.ARGUMENT, refusal(() -> trace.output(0)));
        assertEquals(Status.ARGUMENT, refusal(() -> trace.weight("w", 0)));
        assertEquals(Status.ARGUMENT, refusal(() -> trace.weight("", inputs[0])));
        assertThrows(NullPointerException.class, () -> trace.weight(null, inputs[0]));
        AtomicReference<Throwable> elsewhere = new AtomicReference<>();
        Thread other = new Thread(() -> trace.output(inputs[0]));
        other.setUncaughtExceptionHandler((thread, e) -> elsewhere.set(e));
        other.start();
        other.join();
        assertEquals(IllegalStateException.class, elsewhere.get().getClass());
        return new long[] {torch.call("relu", inputs[0])};
      };
      Program.trace(args, code).close();
      assertThrows(IllegalStateException.class, () -> kept.get().output(8));
      assertThrows(IllegalStateException.class, () -> kept.get().module("A", "a"));
      assertEquals(Status.ARGUMENT, refusal(() -> Program.trace(args, (trace, inputs) -> null)));
      assertThrows(NullPointerException.class, () -> Program.trace(args, null));
      assertThrows(NullPointerException.class, () -> Program.trace(null, (trace, inputs) -> inputs));
      works(args);
    }
  }

  @Test
  void weightsAreCopiedUnlessTheyAreShared() {
    for (boolean share : new boolean[] {false, true}) {
      try (Args args = Fixture.args(); TorchShim torch = new TorchShim()) {
        long weight = torch.make("ones", 4);
        TracedCode<RuntimeException> code = (trace, inputs) -> {
          trace.weight("weight", weight);
          return new long[] {torch.call("mul", inputs[0], weight)};
        };
        try (Program program = Program.trace(args, new TraceOptions().shareWeights(share), code)) {
          torch.all("fill_", new long[] {weight}, 7);
          try (Model model = program.export(args)) {
            if (share) {
              assertEquals(Status.VERIFICATION, refusal(() -> model.verify(program, null)));
            } else {
              model.verify(program, null);
            }
          }
        }
      }
    }
  }

  @Test
  void aModuleIsLeftOnce() {
    try (Args args = Fixture.args(); TorchShim torch = new TorchShim()) {
      TracedCode<RuntimeException> code = (trace, inputs) -> {
        try (Trace.Module outer = trace.module("Outer", "outer")) {
          Trace.Module inner = trace.module("Inner", "inner");
          inner.close();
          inner.close();
          return new long[] {torch.call("relu", inputs[0])};
        }
      };
      try (Program program = Program.trace(args, code); Model model = program.export(args)) {
        assertTrue(model.text().contains("scope: Outer[outer]"), model.text());
      }
    }
  }

  @Test
  void theHostMakesTheInputsOfFurtherRuns() {
    Set<Long> asked = new TreeSet<>();
    Set<Long> seen = new TreeSet<>();
    TraceOptions options = new TraceOptions().dynamicAxis(0, 0, "batch").size("batch", 7).resize(sizes -> {
      asked.add(sizes.get("batch"));
      float[] elements = new float[(int) (sizes.get("batch") * 4)];
      Arrays.fill(elements, 5);
      try (Tensor tensor = Tensor.of(elements, sizes.get("batch"), 4)) {
        return Args.of(tensor);
      }
    });
    try (Args args = Fixture.args(); TorchShim torch = new TorchShim()) {
      TracedCode<RuntimeException> code = (trace, inputs) -> {
        seen.add(TorchShim.size(inputs[0], 0));
        if (TorchShim.size(inputs[0], 0) != 2) {
          assertEquals(5, TorchShim.floats(inputs[0])[0]);
        }
        return new long[] {torch.call("relu", inputs[0])};
      };
      try (Program program = Program.trace(args, options, code); Model model = program.export(args)) {
        assertTrue(asked.contains(7L), asked.toString());
        seen.remove(2L);
        assertEquals(asked, seen);
        assertEquals(List.of(), model.verify(program, null, new VerifyOptions().size("batch", 7)));
        VerifyOptions other = new VerifyOptions().size("batch", 1000);
        assertEquals(Status.ARGUMENT, refusal(() -> model.verify(program, null, other)));
      }
    }
  }

  @Test
  void whatMakesInputsMayFail() {
    IOException thrown = new IOException("no more inputs");
    Args closed = Fixture.args();
    closed.close();
    try (Args args = Fixture.args(); TorchShim torch = new TorchShim()) {
      TracedCode<RuntimeException> code = (trace, inputs) -> new long[] {torch.call("relu", inputs[0])};
      Map<Resize, Class<?>> failing = new LinkedHashMap<>();
      failing.put(sizes -> { throw thrown; }, IOException.class);
      failing.put(sizes -> { throw new StackOverflowError(); }, StackOverflowError.class);
      failing.put(sizes -> null, NullPointerException.class);
      failing.put(sizes -> closed, IllegalStateException.class);
      failing.put(sizes -> new Args().beginList(), TonnxException.class);
      failing.forEach((resize, type) -> {
        TonnxException e = assertThrows(TonnxException.class, () -> Program.trace(args, options(resize), code));
        assertEquals(Status.CALLBACK, e.status());
        assertEquals(type, e.getCause().getClass());
      });
      TonnxException e =
          assertThrows(TonnxException.class, () -> Program.trace(args, options(sizes -> { throw thrown; }), code));
      assertSame(thrown, e.getCause());
      assertTrue(e.getMessage().contains("no more inputs"), e.getMessage());
      // Inputs that are not like the example's.
      assertEquals(Status.ARGUMENT, refusal(() -> Program.trace(args, options(sizes -> new Args()), code)));
      works(args);
    }
  }

  private static TraceOptions options(Resize resize) {
    return new TraceOptions().dynamicAxis(0, 0, "batch").resize(resize);
  }

  @Test
  void aFunctionIsOneOperator() {
    try (TorchShim torch = new TorchShim(); Args args = Fixture.args(); Registry registry = new Registry()) {
      AtomicInteger calls = new AtomicInteger();
      registry.add("prim::PythonOp.MyRelu", 9, (graph, node, values) -> {
        calls.incrementAndGet();
        assertEquals(3, values.size());
        assertEquals(2.5, values.get(1).asDouble());
        assertEquals(node.overload(), values.get(2).asString());
        assertEquals(false, values.get(0).requiresGrad());
        return List.of(graph.op("Max", values.get(0), graph.op("Sub", values.get(0), values.get(0))));
      });
      try (Program program = Program.trace(args,
               (trace, inputs)
                   -> trace.function("MyRelu", inputs, new Attributes().setFloat("scale", 2.5),
                       () -> new long[] {torch.call("relu", inputs[0])}));
          Model plain = program.export(args); Model own = program.export(args, null, registry)) {
        assertTrue(plain.text().contains("onnx::Relu"), plain.text());
        assertTrue(own.text().contains("onnx::Max"), own.text());
        assertTrue(calls.get() > 0);
        own.verify(program, args);
      }
      assertThrows(NullPointerException.class,
          () -> Program.trace(args, (trace, inputs) -> trace.function("MyRelu", inputs, null, null)));
    }
  }

  @Test
  void aFunctionThatThrowsIsDropped() {
    try (TorchShim torch = new TorchShim(); Args args = Fixture.args();
        Program program = Program.trace(args, (trace, in) -> {
          long[] made = new long[1];
          Trace.Module[] entered = new Trace.Module[1];
          assertThrows(ArithmeticException.class, () -> trace.function("Broken", in, null, () -> {
            entered[0] = trace.module("Linear", "fc");
            made[0] = torch.call("relu", in[0]);
            throw new ArithmeticException("no kernel");
          }));
          entered[0].close();
          assertThrows(TonnxException.class, () -> trace.function("NoResult", in, null, () -> new long[0]));
          return new long[] {torch.call("sigmoid", made[0])};
        }); Model model = program.export(args, new Options().autogradInlining(false))) {
      assertTrue(model.text().contains("onnx::Relu"), model.text());
      assertTrue(model.text().contains("onnx::Sigmoid"), model.text());
    }
  }

  @Test
  void tensorsGoOut() {
    try (TorchShim torch = new TorchShim(); Tensor tensor = Tensor.of(new float[] {-1, 2, -3, 4}, 2, 2)) {
      long given = tensor.toTorch();
      assertArrayEquals(new float[] {0, 2, 0, 4}, TorchShim.floats(torch.call("relu", given)));
      torch.all("fill_", new long[] {given}, 5);
      Tensor.deleteTorch(given);
      Tensor.deleteTorch(0);
      long again = tensor.toTorch();
      assertArrayEquals(new float[] {-1, 2, -3, 4}, TorchShim.floats(again));
      Tensor.deleteTorch(again);
    }
  }
}
