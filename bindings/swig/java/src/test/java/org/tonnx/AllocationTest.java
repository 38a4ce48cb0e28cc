package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
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

  @Test
  void aTextThatDoesNotFitIsAnOutOfMemoryError() throws Exception {
    Child child = Child.run(Main.class, List.of("-Xmx40m"), System.getenv("TONNX_LIBRARY"));
    assertEquals("out of memory\nout of memory\nout of memory\n15\n", child.output);
    assertEquals(0, child.exit);
  }
}
