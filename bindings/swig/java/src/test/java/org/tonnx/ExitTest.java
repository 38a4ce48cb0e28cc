package org.tonnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process exits normally with open native objects and running calls. */
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
        case "archive":
          endDuring(ExitTest::exportArchive, arguments[1]);
          break;
        case "script":
          endDuring(ExitTest::exportScript, arguments[1]);
          break;
        case "trace":
          // The host must not load LibTorch while the process exits.
          new TorchShim().close();
          endDuring(ExitTest::exportTrace, arguments[1]);
          break;
        default:
          throw new IllegalArgumentException(arguments[0]);
      }
      System.out.println("done");
    }

    /** Returns after a delay; threads that never end repeat the call. If it throws, the process fails. */
    private static void endDuring(Runnable call, String milliseconds) throws InterruptedException {
      for (int i = 0; i < 4; i++) {
        Thread daemon = new Thread(() -> {
          try {
            while (true) {
              call.run();
            }
          } catch (Throwable failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(4);
          }
        });
        daemon.setDaemon(true);
        daemon.start();
      }
      Thread.sleep(Long.parseLong(milliseconds));
    }
  }

  private static void exportArchive() {
    try (Program program = Program.load(Path.of(System.getenv("TONNX_EXPORTED"))); Args none = new Args()) {
      program.export(none).close();
    }
  }

  private static Args numbers() {
    try (Tensor tensor = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3)) {
      return Args.of(tensor);
    }
  }

  private static void exportScript() {
    String source = "def forward(x):\n"
        + "    for i in range(x.size(0)):\n"
        + "        if bool(x.sum() > 0):\n"
        + "            x = torch.softmax(x, -1) * i\n"
        + "    return torch.relu(x)\n";
    try (Program program = Program.compile(source); Args args = numbers()) {
      program.export(args).close();
    }
  }

  private static void exportTrace() {
    try (TorchShim torch = new TorchShim(); Args args = numbers();
        Program program = Program.trace(args, (trace, inputs) -> {
          long x = inputs[0];
          for (int i = 0; i < 20; i++) {
            x = torch.call("relu", torch.call("add", x, x));
          }
          return new long[] {x};
        })) {
      program.export(args).close();
    }
  }

  @Test
  void openObjectsDoNotHinderTheEnd() throws Exception {
    endsWith(0, "done", "openObjects");
  }

  @Test
  void symbolicMayEndTheProcess() throws Exception {
    endsWith(3, "", "insideASymbolic");
  }

  @ParameterizedTest
  @ValueSource(strings = {"archive", "script", "trace"})
  void daemonsMayBeInCallsAtTheEnd(String kind) throws Exception {
    assumeTrue(!kind.equals("trace") || System.getenv("TONNX_TORCH_SHIM_JNI") != null);
    int tries = Integer.parseInt(System.getenv().getOrDefault("TONNX_EXITS", "2"));
    for (int i = 0; i < tries; i++) {
      int milliseconds = i % 2 == 1 ? 1 + i * 997 % 1009 : i * 7;
      endsWith(0, "done", kind, Integer.toString(milliseconds));
    }
  }

  private static void endsWith(int exit, String output, String... scene) throws Exception {
    Child child = Child.run(Main.class, List.of(), System.getenv("TONNX_LIBRARY"), scene);
    assertEquals(exit, child.exit, () -> String.join(" ", scene) + ": " + child.output);
    assertEquals(output, child.output.trim());
  }
}
