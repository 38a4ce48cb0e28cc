using System.Collections;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Whether dropout and batch norm are exported in inference or training form.</summary>
public enum Training {
  /// <summary>Inference.</summary>
  Eval = 0,
  /// <summary>As the program was stored.</summary>
  Preserve = 1,
  /// <summary>Training.</summary>
  Train = 2
}

/// <summary>Whether initializers are listed among the graph's inputs.</summary>
public enum InitializersAsInputs {
  /// <summary>Below opset 9 only.</summary>
  Auto = 0,
  /// <summary>Yes.</summary>
  Always = 1,
  /// <summary>No.</summary>
  Never = 2
}

/// <summary>Axes of inputs and outputs that are dynamic, in the order they were added.</summary>
public sealed class DynamicAxes : IEnumerable<DynamicAxis> {
  private readonly List<DynamicAxis> axes = new List<DynamicAxis>();

  internal DynamicAxes() {}

  /// <summary>Makes an axis dynamic. A negative axis counts from the end; without a symbol it is
  /// "NAME_dynamic_axes_K".</summary>
  public void Add(string name, long axis, string symbol = null) {
    axes.Add(new DynamicAxis(Require.NotNull(name, nameof(name)), axis, symbol));
  }

  /// <inheritdoc/>
  public IEnumerator<DynamicAxis> GetEnumerator() {
    return axes.GetEnumerator();
  }

  IEnumerator IEnumerable.GetEnumerator() {
    return GetEnumerator();
  }
}

/// <summary>One dynamic axis.</summary>
public sealed class DynamicAxis {
  internal DynamicAxis(string name, long axis, string symbol) {
    Name = name;
    Axis = axis;
    Symbol = symbol;
  }

  /// <summary>The input or output.</summary>
  public string Name { get; }
  /// <summary>Its axis.</summary>
  public long Axis { get; }
  /// <summary>The dimension's name, or null.</summary>
  public string Symbol { get; }
}

/// <summary>How to export. A plain object: an export reads it when it starts, and refuses wrong values.</summary>
public sealed class Options {
  /// <summary>Opset of the default ONNX domain; null: <see cref="Library.DefaultOpset"/>.</summary>
  public int? Opset { get; set; }
  /// <summary>Method of the archive. Null: "forward".</summary>
  public string Method { get; set; }
  /// <summary>Inference or training form.</summary>
  public Training Training { get; set; } = Training.Eval;
  /// <summary>Replace operators on constants and weights by their results.</summary>
  public bool ConstantFolding { get; set; } = true;
  /// <summary>Store the weights' values; otherwise weights become inputs after the user's.</summary>
  public bool ExportParams { get; set; } = true;
  /// <summary>List initializers among the graph's inputs.</summary>
  public InitializersAsInputs InitializersAsInputs { get; set; } = InitializersAsInputs.Auto;
  /// <summary>Run the ONNX checker on the result.</summary>
  public bool Check { get; set; } = true;
  /// <summary>Write each node's source line as its doc_string.</summary>
  public bool DocStrings { get; set; }
  /// <summary>Names of the inputs in order: user inputs, then weights in state-dict order.</summary>
  public IList<string> InputNames { get; } = new List<string>();
  /// <summary>Names of the outputs in order.</summary>
  public IList<string> OutputNames { get; } = new List<string>();
  /// <summary>Dynamic axes; every other axis is fixed to the example's size.</summary>
  public DynamicAxes DynamicAxes { get; } = new DynamicAxes();
  /// <summary>Versions of custom domains in the model's opset imports. Default: 1.</summary>
  public IDictionary<string, long> CustomOpsets { get; } = new Dictionary<string, long>();

  internal NativeOptions ToNative() {
    var native = new NativeOptions();
    try {
      if (Opset.HasValue) native.opset(Opset.Value);
      if (Method != null) native.method(Method);
      native.training((int)Training);
      native.constant_folding(ConstantFolding);
      native.export_params(ExportParams);
      native.initializers_as_inputs((int)InitializersAsInputs);
      native.check(Check);
      native.doc_strings(DocStrings);
      foreach (string name in InputNames) native.input_name(name);
      foreach (string name in OutputNames) native.output_name(name);
      foreach (DynamicAxis axis in DynamicAxes) native.dynamic_axis(axis.Name, axis.Axis, axis.Symbol ?? "");
      foreach (var opset in CustomOpsets) native.custom_opset(opset.Key, opset.Value);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

}
