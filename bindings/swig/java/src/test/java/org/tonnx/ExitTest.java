package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The process ends as it is told to, whatever native objects and calls there are. */
class ExitTest {
  static final class Main {
    static final List<Object> KEPT = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
      switch (arguments[0]) {
        case "openObjects":
          for (int i = 0; i < 50; i++) {
            KEPT.add(Fixture.export(Fixture::gatedSoftmax));
          }
          break;
        case "insideASymbolic":
          Fixture.export((graph, node, inputs) -> {
            System.exit(3);
            return null;
          });
          break;
        case "daemonsThatExport":
          CountDownLatch running = new CountDownLatch(20);
          for (int i = 0; i < 2; i++) {
            Thread daemon = new Thread(() -> {
              while (true) {
                Fixture.export(Fixture::gatedSoftmax).close();
                running.countDown();
              }
            });
            daemon.setDaemon(true);
            daemon.start();
          }
          running.await();
          break;
        default:
          throw new IllegalArgumentException(arguments[0]);
      }
      System.out.println("done");
    }
  }

  @Test
  void openObjectsDoNotHinderTheEnd() throws Exception {
    endsWith("openObjects", 0, "done");
  }

  @Test
  void symbolicMayEndTheProcess() throws Exception {
    endsWith("insideASymbolic", 3, "");
  }

  @Test
  void daemonsMayExportAtTheEnd() throws Exception {
    endsWith("daemonsThatExport", 0, "done");
  }

  private static void endsWith(String scene, int exit, String output) throws Exception {
    Child child = Child.run(Main.class, List.of(), System.getenv("TONNX_LIBRARY"), scene);
    assertEquals(exit, child.exit, child.output);
    assertEquals(output, child.output.trim());
  }
}
