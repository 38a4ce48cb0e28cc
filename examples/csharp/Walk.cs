// Walks a program with branches and a loop, and the model that it becomes: prints graphs, nodes and values.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Tonnx;

internal sealed class Walk {
  private const string Source = "def forward(x, steps: int):\n" + "    y = x * 0.5\n" +
                                "    if bool(y.sum() > 0.25):\n" + "        y = torch.relu(y)\n" +
                                "    for i in range(steps):\n" + "        y = torch.softmax(y + x, 1)\n" +
                                "    return y\n";

  // Values are numbered in the order in which they are printed.
  private readonly Dictionary<Value, int> numbers = new Dictionary<Value, int>();

  private static void Main() {
    var options = new Options { DynamicAxes = { { "x", 0, "batch" } } };
    using (var program = TorchProgram.Compile(Source, file: "net.py")) using (
        var x = TensorData.From(
            new float[] { 1, 2, 3, 4, 5, 6 }, 2,
            3)) using (var args =
                           new Args().Add(x).Add(
                               2)) using (var ofProgram =
                                              program.Contents(
                                                  args,
                                                  options)) using (var model =
                                                                       program.Export(
                                                                           args,
                                                                           options)) using (var ofModel =
                                                                                                model.Contents()) {
      new Walk().Print(ofProgram.Graph, "");
      new Walk().Print(ofModel.Graph, "");
    }
  }

  private void Print(Graph graph, string indent) {
    string name = graph.Owner == null ? "graph" : graph.Name;
    Console.WriteLine(indent + name + "(" + string.Join(", ", graph.Inputs.Select(Typed)) + ")");
    foreach (Node node in graph.Nodes) Print(node, indent + "  ");
    Console.WriteLine(indent + "  return" + string.Concat(graph.Outputs.Select(value => " " + Name(value))));
  }

  private void Print(Node node, string indent) {
    string outputs = string.Join(", ", node.Outputs.Select(Typed));
    string overload = node.Overload == "" ? "" : "." + node.Overload;
    string attributes = string.Concat(node.Attributes.Select(a => " " + a.Name + "=" + Content(a)));
    string inputs = string.Join(", ", node.Inputs.Select(Name));
    string source = node.Source == "" ? "" : " at " + node.Source;
    Console.WriteLine(indent + outputs + " = " + node.Operator + overload + attributes + "(" + inputs + ")" + source);
    foreach (Graph block in node.Graphs) Print(block, indent + "  ");
  }

  private string Name(Value value) {
    if (value == null)
      return "none";
    if (!numbers.ContainsKey(value))
      numbers.Add(value, numbers.Count);
    return "%" + numbers[value];
  }

  private string Typed(Value value) {
    string text = Name(value) + ": " + value.Type;
    if (value.Kind == Kind.Tensor && value.HasRank) {
      var sizes = Enumerable.Range(0, value.Rank)
                      .Select(axis => value.Dim(axis) < 0 ? value.DimSymbol(axis) : value.Dim(axis).ToString());
      text += " " + value.Dtype.ToString().ToLowerInvariant() + "[" + string.Join(" ", sizes) + "]";
    } else if (value.IsConstant && !value.IsNone) {
      text += " " + Content(value);
    }
    return text + " (used " + value.Uses.Count + ")";
  }

  // The content of an attribute or of a constant.
  private static string Content(Value value) {
    switch (value.Kind) {
      case Kind.Int:
        return value.ToInt64().ToString();
      case Kind.Float:
        return value.ToDouble().ToString(CultureInfo.InvariantCulture);
      case Kind.Bool:
        return value.ToBoolean() ? "true" : "false";
      case Kind.String:
        return "'" + value.ToText() + "'";
      case Kind.List:
        return string.Join(" ", value.ToInt64Array());
      default:
        return value.Type;
    }
  }
}
