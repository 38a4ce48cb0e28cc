import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.tonnx.Args;
import org.tonnx.Contents;
import org.tonnx.Graph;
import org.tonnx.Kind;
import org.tonnx.Model;
import org.tonnx.Node;
import org.tonnx.Options;
import org.tonnx.Program;
import org.tonnx.Tensor;
import org.tonnx.Value;

/** Walks a program with branches and a loop, and the model that it becomes: prints graphs, nodes and values. */
public final class Walk {
  private static final String SOURCE = String.join("\n", "def forward(x, steps: int):", "    y = x * 0.5",
      "    if bool(y.sum() > 0.25):", "        y = torch.relu(y)",
      "    for i in range(steps):", "        y = torch.softmax(y + x, 1)", "    return y", "");

  /** Values are numbered in the order in which they are printed. */
  private final Map<Value, Integer> numbers = new HashMap<>();

  public static void main(String[] arguments) {
    Options options = new Options().dynamicAxis("x", 0, "batch");
    try (Program program = Program.compile(SOURCE, "net.py", null);
        Tensor x = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3); Args args = Args.of(x).add(2);
        Contents ofProgram = program.contents(args, options); Model model = program.export(args, options);
        Contents ofModel = model.contents()) {
      new Walk().graph(ofProgram.graph(), "");
      new Walk().graph(ofModel.graph(), "");
    }
  }

  private void graph(Graph graph, String indent) {
    System.out.println(indent + (graph.owner() == null ? "graph" : graph.name()) + "("
        + join(graph.inputs(), ", ", this::typed) + ")");
    graph.nodes().forEach(node -> node(node, indent + "  "));
    System.out.println(indent + "  return" + join(graph.outputs(), "", value -> " " + name(value)));
  }

  private void node(Node node, String indent) {
    System.out.println(indent + join(node.outputs(), ", ", this::typed) + " = " + node.operator()
        + (node.overload().isEmpty() ? "" : "." + node.overload())
        + join(node.attributes(), "", attribute -> " " + attribute.name() + "=" + content(attribute)) + "("
        + join(node.inputs(), ", ", this::name) + ")" + (node.source().isEmpty() ? "" : " at " + node.source()));
    node.graphs().forEach(block -> graph(block, indent + "  "));
  }

  private String name(Value value) {
    return value == null ? "none" : "%" + numbers.computeIfAbsent(value, fresh -> numbers.size());
  }

  private String typed(Value value) {
    String text = name(value) + ": " + value.type();
    if (value.kind() == Kind.TENSOR && value.hasRank()) {
      StringBuilder sizes = new StringBuilder();
      for (int axis = 0; axis < value.rank(); axis++) {
        sizes.append(axis == 0 ? "" : " ");
        sizes.append(value.dim(axis) < 0 ? value.dimSymbol(axis) : Long.toString(value.dim(axis)));
      }
      text += " " + value.dtype() + "[" + sizes + "]";
    } else if (value.isConstant() && !value.isNone()) {
      text += " " + content(value);
    }
    return text + " (used " + value.uses().size() + ")";
  }

  /** The content of an attribute or of a constant. */
  private static String content(Value value) {
    switch (value.kind()) {
      case INT:
        return Long.toString(value.asLong());
      case FLOAT:
        return Double.toString(value.asDouble());
      case BOOL:
        return Boolean.toString(value.asBoolean());
      case STRING:
        return "'" + value.asString() + "'";
      case LIST:
        return LongStream.of(value.asLongs()).mapToObj(Long::toString).collect(Collectors.joining(" "));
      default:
        return value.type();
    }
  }

  private static String join(List<Value> values, String separator, Function<Value, String> text) {
    return values.stream().map(text).collect(Collectors.joining(separator));
  }
}
