import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.tonnx.Args;
import org.tonnx.Attributes;
import org.tonnx.Dtype;
import org.tonnx.Model;
import org.tonnx.Operators;
import org.tonnx.Options;
import org.tonnx.Program;
import org.tonnx.Registry;
import org.tonnx.Tensor;
import org.tonnx.TonnxException;
import org.tonnx.Value;

/**
 * Exports an archive that uses an operator which ONNX does not know: my_ops::gated_softmax(Tensor x, float alpha),
 * softmax over the last axis of x * sigmoid(alpha * x).
 *
 * <p>CustomOperator LIBRARY ARCHIVE OUTPUT.onnx
 */
public final class CustomOperator {
  public static void main(String[] arguments) {
    if (arguments.length != 3) {
      System.err.println("usage: CustomOperator LIBRARY ARCHIVE OUTPUT.onnx");
      System.exit(1);
    }
    try {
      run(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]));
    } catch (Exception e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static void run(Path library, Path archive, Path output) throws Exception {
    Operators.load(library);
    float[] elements = new float[8];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = 0.25f * i - 1;
    }

    try (Program program = Program.load(archive); Tensor tokens = Tensor.of(elements, 2, 4);
        Args args = Args.of(tokens); Registry registry = new Registry()) {
      Options options = new Options()
                            .opset(15)
                            .inputName("tokens")
                            .outputName("weights")
                            .dynamicAxis("tokens", 0, "batch")
                            .customOpset("com.microsoft", 1);

      // What a symbolic throws ends the export, and says why.
      registry.add("my_ops::gated_softmax", 9, (graph, node, inputs) -> {
        throw new UnsupportedOperationException("alpha " + inputs.get(1).asDouble() + " is not supported yet");
      });
      try {
        program.export(args, options, registry).close();
        throw new IllegalStateException("the export should have failed");
      } catch (TonnxException e) {
        TonnxException.Reason reason = e.reasons().get(0);
        System.out.println("refused: " + reason.operator() + " at " + reason.module() + ": " + reason.text());
      }

      // The same name and opset again: this one replaces the first.
      registry.add("my_ops::gated_softmax", 9, (graph, node, inputs) -> {
        Value x = inputs.get(0);
        if (x.dtype() != Dtype.FLOAT32) {
          return null; // "not me"
        }
        Attributes alpha = new Attributes().setFloat("alpha", inputs.get(1).asDouble());
        Value gated = graph.op("com.microsoft::QuickGelu", alpha, x).copyType(x);
        return List.of(graph.op("Softmax", new Attributes().setInt("axis", x.rank() - 1), gated));
      });
      try (Model model = program.export(args, options, registry)) {
        byte[] bytes = model.bytes();
        model.save(output);
        if (!Arrays.equals(bytes, Files.readAllBytes(output))) {
          throw new IllegalStateException("the file differs from the model in memory");
        }
        model.verify(program, args);
        System.out.println("verified");
        System.out.print(model.text());
      }
    }
  }
}
