package org.tonnx;

import java.nio.file.Path;
import java.util.List;

/**
 * The archive of examples/custom_operator: forward(x) is a 4x4 Linear in submodule body, then my_ops::gated_softmax
 * with alpha 1.5 in submodule head.
 */
final class Fixture {
  static final String OPERATOR = "my_ops::gated_softmax";

  private Fixture() {}

  static Path archive() {
    Operators.load(path("TONNX_OPERATORS", "libgated_softmax.so"));
    return path("TONNX_ARCHIVE", "custom_operator.pt");
  }

  static Program program() {
    return Program.load(archive());
  }

  static Args args() {
    float[] elements = new float[8];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = 0.25f * i - 1;
    }
    try (Tensor tensor = Tensor.of(elements, 2, 4)) {
      return Args.of(tensor);
    }
  }

  static Options options() {
    return new Options()
        .opset(15)
        .inputName("tokens")
        .outputName("weights")
        .dynamicAxis("tokens", 0, "batch")
        .customOpset("com.microsoft", 1);
  }

  static Registry registry(Symbolic symbolic) {
    return new Registry().add(OPERATOR, 9, symbolic);
  }

  /** The implementation of the operator. */
  static List<Value> gatedSoftmax(Graph graph, Node node, List<Value> inputs) {
    Value x = inputs.get(0);
    Attributes alpha = new Attributes().setFloat("alpha", inputs.get(1).asDouble());
    Value gated = graph.op("com.microsoft::QuickGelu", alpha, x).copyType(x);
    return List.of(graph.op("Softmax", new Attributes().setInt("axis", x.rank() - 1), gated));
  }

  /** One export with a symbolic, everything else as above and freed. */
  static Model export(Symbolic symbolic) {
    Options options = options();
    try (Program program = program(); Args args = args(); Registry registry = registry(symbolic)) {
      return program.export(args, options, registry);
    }
  }

  static void collectGarbage() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(20);
    }
  }

  private static Path path(String variable, String name) {
    String given = System.getenv(variable);
    return given == null || given.isEmpty() ? Path.of(System.getProperty("tonnx.library.dir"), "examples", name)
                                            : Path.of(given);
  }
}
