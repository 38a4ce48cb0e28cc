package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Networks that are written in Java, traced with a dynamic batch and sequence, each compared with itself at three
 * sizes.
 */
@EnabledIfEnvironmentVariable(named = "TONNX_TORCH_SHIM_JNI", matches = ".+")
class NetworkTest {
  private static final int WORDS = 11;
  private static final int WIDTH = 8;
  private static final int LONGEST = 16;
  private static final int HEADS = 2;

  private static Tensor words(int batch, int sequence) {
    long[] words = new long[batch * sequence];
    for (int i = 0; i < words.length; i++) {
      words[i] = (i * 7 + i / 5) % WORDS;
    }
    return Tensor.of(words, batch, sequence);
  }

  private static Tensor floats(int batch, int sequence) {
    float[] elements = new float[batch * sequence * WIDTH];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = (float) Math.sin(i * 0.7);
    }
    return Tensor.of(elements, batch, sequence, WIDTH);
  }

  private static void verify(
      BiFunction<Integer, Integer, Tensor> input, Layers layers, LongUnaryOperator network, String part) {
    TraceOptions axes = new TraceOptions().dynamicAxis(0, 0, "batch").dynamicAxis(0, 1, "sequence");
    TracedCode<RuntimeException> code = (trace, inputs) -> layers.run(trace, () -> network.applyAsLong(inputs[0]));
    try (Tensor example = input.apply(2, 5); Args args = Args.of(example)) {
      long first = example.toTorch();
      layers.run(() -> network.applyAsLong(first));
      Tensor.deleteTorch(first);
      Options options = new Options().exportParams(false);
      try (Program program = Program.trace(args, axes, code); Model model = program.export(args);
          Model open = program.export(args, options)) {
        assertTrue(model.text().contains(part), model.text());
        Set<String> names = new TreeSet<>(open.inputNames());
        assertTrue(names.remove("input"), names.toString());
        assertEquals(new TreeSet<>(layers.weights().keySet()), names);
        model.verify(program);
        for (int[] size : new int[][] {{2, 5}, {1, 9}, {4, 3}}) {
          try (Tensor tensor = input.apply(size[0], size[1]); Args other = Args.of(tensor);
              Program same = Program.trace(other, code)) {
            model.verify(same);
          }
        }
      }
    }
  }

  @Test
  void gru() {
    try (Layers layers = new Layers()) {
      LongUnaryOperator network = ids -> {
        long x = layers.gru("gru", layers.embedding("words", ids, WORDS, WIDTH), WIDTH, 6);
        return layers.linear("decoder", x, 6, WORDS);
      };
      verify(NetworkTest::words, layers, network, "onnx::GRU");
    }
  }

  @Test
  void transformerEncoder() {
    try (Layers layers = new Layers()) {
      LongUnaryOperator network = given -> {
        long x = layers.block("0", given, WIDTH, HEADS, false);
        x = layers.block("1", x, WIDTH, HEADS, false);
        return layers.norm("norm", x, WIDTH);
      };
      verify(NetworkTest::floats, layers, network, "/1/attention/");
    }
  }

  @Test
  void gpt() {
    try (Layers layers = new Layers()) {
      LongUnaryOperator network = ids -> {
        long place = layers.embedding("places", layers.positions(ids), LONGEST, WIDTH);
        long x = layers.add(layers.embedding("words", ids, WORDS, WIDTH), place);
        x = layers.block("0", x, WIDTH, HEADS, true);
        x = layers.block("1", x, WIDTH, HEADS, true);
        return layers.linear("decoder", layers.norm("norm", x, WIDTH), WIDTH, WORDS);
      };
      verify(NetworkTest::words, layers, network, "/1/attention/");
    }
  }
}
