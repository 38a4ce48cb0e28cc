import java.nio.file.Path;
import org.tonnx.*;

public class User {
  public static void main(String[] arguments) {
    try (Program program = Program.load(Path.of("net.pt2")); Args none = new Args();
        Model model = program.export(none)) {
      model.save(Path.of("net.pt2.onnx"));
    }
    System.out.println("tonnx " + Tonnx.version() + ", LibTorch " + Tonnx.libtorchVersion());
    try {
      Program.compile(arguments[0]).close();
    } catch (TonnxException e) {
      System.out.println(e.status() + " " + e.getMessage());
    }
    Tonnx.loadLibtorch(Path.of("/mnt/site/torch/lib"));
    try (Program program = Program.compile(arguments[0]);
        Args args = Args.of(Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3));
        Model model = program.export(args, new Options().dynamicAxis("x", 0, "n"))) {
      model.verify(program, args);
      System.out.println("agrees");
    }
  }
}
