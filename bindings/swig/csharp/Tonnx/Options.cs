using System.Collections;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

// Made from options.json by scripts/options.py.
/// <summary>Form in which dropout and batch norm are exported.</summary>
public enum Training {
  /// <summary>As in inference.</summary>
  Eval = 0,
  /// <summary>As the program says.</summary>
  Preserve = 1,
  /// <summary>As in training.</summary>
  Train = 2
}

/// <summary>What becomes of a script's branches and loops.</summary>
public enum Mode {
  /// <summary>As script, and as trace where the script cannot be exported and no axis is dynamic. The report tells
  /// which.</summary>
  Auto = 0,
  /// <summary>They stay where a run decides them.</summary>
  Script = 1,
  /// <summary>The script is run and recorded, at several sizes and on other values; what they decide is
  /// refused.</summary>
  Trace = 2
}

/// <summary>Whether initializers are listed among the graph's inputs.</summary>
public enum InitializersAsInputs {
  /// <summary>Below opset 9 only.</summary>
  Auto = 0,
  /// <summary>At every opset.</summary>
  Always = 1,
  /// <summary>At no opset that allows it.</summary>
  Never = 2
}

/// <summary>What becomes of a dynamic axis that has one size only.</summary>
public enum FixedDynamicAxes {
  /// <summary>The export or the trace is refused.</summary>
  Error = 0,
  /// <summary>The axis keeps the example's size, and a warning names the axis, the size and the reason.</summary>
  Warn = 1
}

// Made until here.

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
  // Made from options.json by scripts/options.py.
  /// <summary>Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17.</summary>
  public int? Opset { get; set; }
  /// <summary>Method of the archive. Default: "forward".</summary>
  public string Method { get; set; }
  /// <summary>Whether a scripted program's control flow is kept, or the program is run and what it does is recorded,
  /// loops unrolled. Default: <see cref="Mode.Auto"/>.</summary>
  public Mode Mode { get; set; } = Mode.Auto;
  /// <summary>Whether dropout and batch norm are exported in inference or training form. Default: <see
  /// cref="Training.Eval"/>.</summary>
  public Training Training { get; set; } = Training.Eval;
  /// <summary>Replace operators on weights by their results, and normalisations by fixed statistics by other weights of
  /// the layer before them (from opset 9, in eval mode); operators on constants alone are always replaced. Default: on
  /// in eval mode, off in the others.</summary>
  public bool? ConstantFolding { get; set; }
  /// <summary>Store the weights' values; otherwise weights become inputs after the user's. Default: true.</summary>
  public bool ExportParams { get; set; } = true;
  /// <summary>List initializers among the graph's inputs. Default: <see cref="InitializersAsInputs.Auto"/>.</summary>
  public InitializersAsInputs InitializersAsInputs { get; set; } = InitializersAsInputs.Auto;
  /// <summary>Run the ONNX checker on the result. Default: true.</summary>
  public bool Check { get; set; } = true;
  /// <summary>Write each node's source line as its doc_string. Default: false.</summary>
  public bool DocStrings { get; set; }
  /// <summary>Class of modules, without its Python module ('Linear'), whose calls become local functions of the model;
  /// '*' for all classes. From opset 15. Default: none: the model is one graph.</summary>
  public IList<string> ModuleFunctions { get; } = new List<string>();
  /// <summary>Add the new values of all that the program writes to and that outlives the call (inputs, buffers,
  /// parameters, attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each
  /// write. Default: false.</summary>
  public bool WrittenOutputs { get; set; }
  /// <summary>An export that warns fails with status warning (class WarningError); the warnings are its reasons.
  /// Default: false.</summary>
  public bool WarningsAsErrors { get; set; }
  /// <summary>A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of
  /// any length but for code that needs another; an axis named of it is one of every item. From opset 11. Without it,
  /// each item of the example is an input, NAME.0, NAME.1. Default: false.</summary>
  public bool SequenceInputs { get; set; }
  /// <summary>Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the
  /// default name of that input. A quantised input has one name here; its scale and zero point are NAME_scale and
  /// NAME_zero_point. Default: the names of forward's arguments, and state-dict keys.</summary>
  public IList<string> InputNames { get; } = new List<string>();
  /// <summary>Name of the next output: one for each tensor, number or list that the program returns, those of tuples
  /// and dicts one by one. An empty one keeps the default name of that output. A quantised output has one name here;
  /// its scale and zero point are NAME_scale and NAME_zero_point. Default: the program's names, or output_N.</summary>
  public IList<string> OutputNames { get; } = new List<string>();
  /// <summary>Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is
  /// called NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.</summary>
  public DynamicAxes DynamicAxes { get; } = new DynamicAxes();
  /// <summary>What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the
  /// program decides, so that it runs at the example's size only, one that torch.export exported with a fixed size, or
  /// one of an output that has a known size. The other dynamic axes stay dynamic. Default: <see
  /// cref="FixedDynamicAxes.Error"/>.</summary>
  public FixedDynamicAxes FixedDynamicAxes { get; set; } = FixedDynamicAxes.Error;
  /// <summary>An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input
  /// (negative axes count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE
  /// as the model calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*'
  /// for all that no dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's
  /// ranges and conditions do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the
  /// arguments, which has the example's value in the model and is no input; '*' for all of them. Default: none: what
  /// torch.export left open stays open.</summary>
  public IList<string> FixedAxes { get; } = new List<string>();
  /// <summary>Version of a custom domain in the model's opset imports. Default: 1.</summary>
  public IDictionary<string, long> CustomOpsets { get; } = new Dictionary<string, long>();
  // Made until here.

  internal NativeOptions ToNative() {
    var native = new NativeOptions();
    try {
      // Made from options.json by scripts/options.py.
      if (Opset.HasValue)
        native.opset(Opset.Value);
      if (Method != null)
        native.method(Method);
      native.mode((int)Mode);
      native.training((int)Training);
      if (ConstantFolding.HasValue)
        native.constant_folding(ConstantFolding.Value);
      native.export_params(ExportParams);
      native.initializers_as_inputs((int)InitializersAsInputs);
      native.check(Check);
      native.doc_strings(DocStrings);
      foreach (string name in ModuleFunctions) native.module_function(name);
      native.written_outputs(WrittenOutputs);
      native.warnings_as_errors(WarningsAsErrors);
      native.sequence_inputs(SequenceInputs);
      foreach (string name in InputNames) native.input_name(name);
      foreach (string name in OutputNames) native.output_name(name);
      foreach (DynamicAxis axis in DynamicAxes) native.dynamic_axis(axis.Name, axis.Axis, axis.Symbol ?? "");
      native.fixed_dynamic_axes((int)FixedDynamicAxes);
      foreach (string name in FixedAxes) native.fixed_axis(name);
      foreach (var one in CustomOpsets) native.custom_opset(one.Key, one.Value);
      // Made until here.
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

}
