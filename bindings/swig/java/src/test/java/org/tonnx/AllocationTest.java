package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Results that do not fit into Java's heap. */
class AllocationTest {
  static final class Main {
    public static void main(String[] arguments) {
      String large = "x".repeat(6 << 20);
      try (Model model = Fixture.export((graph, node, inputs) -> {
        Attributes attributes = new Attributes();
        for (int i = 0; i < 8; i++) {
          attributes.setString("text" + i, large);
        }
        return List.of(graph.op("custom_domain::Large", attributes, inputs.get(0)).copyType(inputs.get(0)));
      })) {
        for (int i = 0; i < 3; i++) {
          try {
            System.out.println(model.text(TextFormat.FULL).length());
          } catch (OutOfMemoryError e) {
            System.out.println("out of memory");
          }
        }
        System.out.println(model.opset());
      }
    }
  }

  static final class Native {
    public static void main(String[] arguments) {
      Path path = Path.of(System.getenv("TONNX_EXPORTED"));
      System.out.println(0 < FailingNew.repeat(() -> {
        try (Program program = Program.load(path); Args none = new Args();
            Contents contents = program.contents(none, null)) {
          for (Node node : contents.graph().nodes()) {
            node.inputs().forEach(value -> value.type());
            node.attributes().forEach(Value::kind);
          }
        }
      }, 1));
      System.out.println(0 < FailingNew.repeat(() -> {
        try (Tensor tensor = Tensor.of(new float[] {1, 2, 3}, 3); Args args = Args.of(tensor)) {
          assertEquals(1, args.count());
          assertArrayEquals(new long[] {3}, tensor.dims());
        }
      }, 1, 2, 3, Long.MAX_VALUE));
    }
  }

  @Test
  void nativeAllocationsThatFailAreExceptions() throws Exception {
    String shim = System.getenv("TONNX_FAILING_NEW");
    Child child = Child.run(Native.class, List.of(), System.getenv("TONNX_LIBRARY"), Map.of("LD_PRELOAD", shim));
    assertEquals("true\ntrue\n", child.output);
    assertEquals(0, child.exit);
  }

  @Test
  void aTextThatDoesNotFitIsAnOutOfMemoryError() throws Exception {
    Child child = Child.run(Main.class, List.of("-Xmx40m"), System.getenv("TONNX_LIBRARY"));
    assertEquals("out of memory\nout of memory\nout of memory\n15\n", child.output);
    assertEquals(0, child.exit);
  }
}
