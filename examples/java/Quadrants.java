import java.nio.file.Path;
import org.tonnx.*;

/**
 * Trains a network that C++ code defines, traces it with a dynamic batch, exports and verifies it, and prints the
 * report: Quadrants [OUTPUT.onnx]
 *
 * <p>In a checkout, after {@code make build} and {@code mvn -f bindings/swig/java -DskipTests package} (docs/java.md);
 * JAVA_HOME is the folder of the JDK:
 *
 * <pre>
 * ninja -C build examples/libquadrants.so
 * cc -fPIC -shared -o build/libquadrants_jni.so examples/quadrants/network_jni.c -I$JAVA_HOME/include \
 *   -I$JAVA_HOME/include/linux build/examples/libquadrants.so -Wl,-rpath,$PWD/build/examples
 * javac -cp build/java/tonnx-0.1.0.jar -d build/example examples/java/Quadrants.java
 * java -Djava.library.path=build -cp build/java/tonnx-0.1.0.jar:build/example Quadrants
 * </pre>
 */
public final class Quadrants {
  static {
    System.loadLibrary("quadrants_jni");
  }

  private Quadrants() {}

  public static void main(String[] arguments) {
    Path path = Path.of(arguments.length > 0 ? arguments[0] : "quadrants.onnx");
    long network = networkNew(0);
    if (network == 0) {
      throw new IllegalStateException("the network cannot be made");
    }
    try {
      double share = train(network, 150);
      if (share < 0) {
        throw new IllegalStateException("the network cannot be trained");
      }
      System.out.println("trained: " + 100 * share + " % of new images are correct");
      export(network, path);
    } finally {
      networkFree(network);
    }
  }

  private static void export(long network, Path path) {
    TraceOptions traceOptions = new TraceOptions().dynamicAxis(0, 0, "batch");
    try (Args args = Args.of(Tensor.of(new float[2 * 8 * 8], 2, 1, 8, 8));
        Program program = Program.trace(args, traceOptions, (trace, inputs) -> record(network, trace, inputs[0]));
        Model model = program.export(args, new Options().inputName("images"))) {
      model.verify(program);
      model.save(path);
      System.out.println(model.report());
    }
    System.out.println(path + ": ONNX Runtime agrees with LibTorch");
  }

  private static long[] record(long network, Trace trace, long images) {
    for (int i = 0; i < weightCount(network); ++i) {
      trace.weight(weightName(network, i), weight(network, i));
    }
    long scores = forward(network, images);
    if (scores == 0) {
      throw new IllegalStateException("the network failed");
    }
    try {
      trace.output("scores", scores);
    } finally {
      deleteTensor(scores);
    }
    return null;
  }

  private static native long networkNew(long seed);

  private static native double train(long network, long steps);

  private static native int weightCount(long network);

  private static native String weightName(long network, int index);

  private static native long weight(long network, int index);

  private static native long forward(long network, long images);

  private static native void deleteTensor(long tensor);

  private static native void networkFree(long network);
}
