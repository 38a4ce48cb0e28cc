package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of calls, and how observers cancel them. */
class ObserverTest {
  private static final String CODE =
      "def f(x):\n    x.add_(1)\n    for i in range(int(x.sum())):\n        x = torch.relu(x)\n    return x\n";

  private static Model export(Observer observer) {
    try (Program program = Program.compile(CODE, "net.py", null); Tensor x = Tensor.of(new float[] {1, 2}, 2);
        Args inputs = new Args().add(x)) {
      return program.export(inputs, new Options().observer(observer), null);
    }
  }

  @Test
  void receiveEvents() {
    List<Event> seen = new ArrayList<>();
    try (Model model = export(new Observer(seen::add))) {
      assertTrue(seen.stream().anyMatch(
          e -> e.level() == Level.INFO && e.text().contains("the loop stays a Loop") && e.source().equals("net.py:3")));
      assertTrue(seen.stream().anyMatch(
          e -> e.kind() == EventKind.PROGRESS && e.stage().equals("lowering") && e.total() > 0 && !e.isBytes()));
      List<Event> warnings = new ArrayList<>(seen);
      warnings.removeIf(e -> e.kind() != EventKind.WARNING);
      assertEquals(model.warnings().size(), warnings.size());
      assertTrue(warnings.stream().allMatch(e -> e.category() == Category.STATE && e.module().isEmpty()));
    }
  }

  @Test
  void cancelCallsOfInterruptedThreads(@TempDir Path folder) {
    int number = 1;
    for (;; number++) {
      int at = number;
      AtomicInteger count = new AtomicInteger();
      Observer observer = new Observer(event -> {
        if (count.incrementAndGet() == at) {
          Thread.currentThread().interrupt();
        }
      });
      try (Model model = export(observer.level(Level.DEBUG))) {
        break;
      } catch (TonnxException e) {
        assertEquals(Status.CANCELLED, e.status());
        assertTrue(Thread.interrupted());
        assertEquals(at, count.get());
      }
    }
    assertTrue(number > 10);
    Path file = folder.resolve("model.onnx");
    try (Model model = export(new Observer())) {
      Thread.currentThread().interrupt();
      TonnxException error =
          assertThrows(TonnxException.class, () -> model.save(file, new SaveOptions().observer(new Observer())));
      assertEquals(Status.CANCELLED, error.status());
      assertTrue(Thread.interrupted());
      assertFalse(Files.exists(file));
      model.save(file, new SaveOptions().observer(new Observer()));
      assertTrue(Files.exists(file));
    }
  }

  @Test
  void throwWhatTheListenerThrows() {
    IOException full = new IOException("the disk is full");
    TonnxException error = assertThrows(TonnxException.class, () -> export(new Observer(event -> { throw full; })));
    assertEquals(Status.CALLBACK, error.status());
    assertSame(full, error.getCause());
  }
}
