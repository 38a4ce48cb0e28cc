package org.tonnx;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Layers of networks written in Java over the LibTorch client of the tests. Weights are made when their layer first
 * runs, and have its path in their name.
 */
final class Layers implements AutoCloseable {
  private final TorchShim torch = new TorchShim();
  private final Map<String, Long> weights = new LinkedHashMap<>();
  private Trace trace;
  private String path = "";

  /** Runs a network outside of any trace. */
  void run(LongSupplier network) {
    network.getAsLong();
  }

  /** Runs a network whose weights are there, in a trace. */
  long[] run(Trace trace, LongSupplier network) {
    this.trace = trace;
    try {
      weights.forEach(trace::weight);
      return new long[] {network.getAsLong()};
    } finally {
      this.trace = null;
    }
  }

  Map<String, Long> weights() {
    return weights;
  }

  long embedding(String name, long ids, long words, long width) {
    return module("Embedding", name, () -> torch.call("embedding", weight("weight", words, width), ids));
  }

  long linear(String name, long x, long in, long out) {
    return module("Linear", name, () -> torch.call("linear", x, weight("weight", out, in), weight("bias", out)));
  }

  long norm(String name, long x, long width) {
    return module("LayerNorm", name, () -> torch.call("layer_norm", x, weight("weight", width), weight("bias", width)));
  }

  long gru(String name, long x, long in, long hidden) {
    return module("GRU", name, () -> {
      long state = torch.make("zeros", 1, TorchShim.size(x, 0), hidden);
      return torch.call("gru", x, state, weight("weight_ih", 3 * hidden, in), weight("weight_hh", 3 * hidden, hidden),
          weight("bias_ih", 3 * hidden), weight("bias_hh", 3 * hidden));
    });
  }

  /** A Transformer block; a causal one only attends to earlier positions. */
  long block(String name, long x, long width, long heads, boolean causal) {
    return module("Block", name, () -> {
      long seen = torch.call("add", x, attention("attention", norm("before", x, width), width, heads, causal));
      long wide = torch.call("gelu", linear("wide", norm("between", seen, width), width, 4 * width));
      return torch.call("add", seen, linear("narrow", wide, 4 * width, width));
    });
  }

  long positions(long x) {
    return torch.make("arange", TorchShim.size(x, 1));
  }

  long add(long x, long y) {
    return torch.call("add", x, y);
  }

  private long attention(String name, long x, long width, long heads, boolean causal) {
    return module("Attention", name, () -> {
      long batch = TorchShim.size(x, 0);
      long sequence = TorchShim.size(x, 1);
      long[] parts = torch.all("chunk", new long[] {linear("joint", x, width, 3 * width)}, 3, 2);
      for (int i = 0; i < parts.length; i++) {
        long split = torch.all("reshape", new long[] {parts[i]}, batch, sequence, heads, width / heads)[0];
        parts[i] = transposed(split, 1, 2);
      }
      long scores = torch.call("matmul", parts[0], transposed(parts[1], 2, 3));
      scores = torch.all("divide", new long[] {scores}, width / heads)[0];
      if (causal) {
        scores = torch.call("masked", scores, torch.call("tril", torch.make("ones", sequence, sequence)));
      }
      long mixed = torch.call("matmul", torch.all("softmax", new long[] {scores}, -1)[0], parts[2]);
      long joined = torch.all("reshape", new long[] {transposed(mixed, 1, 2)}, batch, sequence, width)[0];
      return linear("output", joined, width, width);
    });
  }

  private long transposed(long x, long first, long second) {
    return torch.all("transpose", new long[] {x}, first, second)[0];
  }

  private long weight(String name, long... dims) {
    return weights.computeIfAbsent(path + name, key -> torch.make("randn", dims));
  }

  private long module(String type, String name, LongSupplier body) {
    String outer = path;
    path += name + ".";
    Trace.Module entered = trace == null ? () -> {} : trace.module(type, name);
    try (entered) {
      return body.getAsLong();
    } finally {
      path = outer;
    }
  }

  @Override
  public void close() {
    torch.close();
  }
}
