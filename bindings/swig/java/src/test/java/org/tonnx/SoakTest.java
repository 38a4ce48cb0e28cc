package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** TONNX_SOAK exports, one in ten failing: the process does not grow. */
class SoakTest {
  private static final int PAGE = 4096;
  private static final long ALLOWED = 4L << 20;

  @Test
  void manyExportsKeepTheSize() throws Exception {
    int count = Integer.parseInt(System.getenv().getOrDefault("TONNX_SOAK", "500"));
    for (int i = 0; i < count / 10; i++) {
      export(i);
    }
    long before = resident();
    for (int i = count / 10; i < count; i++) {
      export(i);
    }
    long grown = resident() - before;
    System.out.printf("soak: %d exports, resident %d KiB, grown by %d KiB%n", count, before + grown >> 10, grown >> 10);
    assertTrue(grown < ALLOWED, grown + " bytes grown by");
  }

  private static void export(int i) {
    if (i % 10 == 9) {
      IllegalStateException thrown = new IllegalStateException("export " + i);
      Symbolic failing = (graph, node, inputs) -> {
        throw thrown;
      };
      assertSame(thrown, assertThrows(TonnxException.class, () -> Fixture.export(failing)).getCause());
      return;
    }
    Symbolic symbolic = (graph, node, inputs) -> {
      List<Value> results = Fixture.gatedSoftmax(graph, node, inputs);
      assertTrue(i >= 0);
      return results;
    };
    try (Model model = Fixture.export(symbolic)) {
      assertTrue(model.bytes().length > 0);
    }
  }

  private static long resident() throws IOException, InterruptedException {
    Fixture.collectGarbage();
    String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
    return Long.parseLong(pages[1]) * PAGE;
  }
}
