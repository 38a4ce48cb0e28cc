import java.lang.management.ManagementFactory;
import org.tonnx.Args;
import org.tonnx.Options;
import org.tonnx.Program;
import org.tonnx.Registry;
import org.tonnx.Symbolic;
import org.tonnx.Tensor;

/** Nanoseconds of a callback and of a call in a callback: see ../callbacks.py. */
final class Callbacks {
  private static final int NODES = 2000;
  private static final int REGISTRATIONS = 17;
  private static final int RUNS = 9;
  private static final int CALLS = 1000000;
  private static long callbacks;
  private static long outputs;
  private static long nanoseconds;

  /** Nanoseconds of processor time of this thread. */
  private static long now() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long timed(String source, int registrations, Symbolic symbolic) {
    try (Program program = Program.compile(source); Tensor tensor = Tensor.of(new float[] {1, 2, 3, 4}, 4);
        Args args = Args.of(tensor); Registry registry = new Registry()) {
      for (int since = 1; since <= registrations; since++) {
        registry.add("aten::relu", since, symbolic);
      }
      long start = now();
      program.export(args, new Options().opset(REGISTRATIONS), registry).close();
      return now() - start;
    }
  }

  public static void main(String[] arguments) {
    String source = "def forward(x):\n"
        + "    x = torch.relu(x)\n".repeat(NODES) + "    return x\n";
    Symbolic decline = (graph, node, inputs) -> {
      callbacks++;
      return null;
    };
    Symbolic call = (graph, node, inputs) -> {
      long start = now();
      for (int i = 0; i < CALLS; i++) {
        outputs += node.outputCount();
      }
      nanoseconds = now() - start;
      return null;
    };
    long[] best = {Long.MAX_VALUE, Long.MAX_VALUE};
    long[] counts = new long[2];
    for (int run = 0; run < RUNS; run++) {
      for (int i = 0; i < 2; i++) {
        callbacks = 0;
        best[i] = Math.min(best[i], timed(source, i == 0 ? 1 : REGISTRATIONS, decline));
        counts[i] = callbacks;
      }
    }
    timed("def forward(x):\n    return torch.relu(x)\n", 1, call);
    System.out.printf(
        "%.0f %.1f%n", (double) (best[1] - best[0]) / (counts[1] - counts[0]), (double) nanoseconds / CALLS);
  }
}
